import type { Command } from 'commander';

export type Shell = 'bash' | 'zsh' | 'fish';

interface CommandNode {
  /** The words of the command, without the name of the program. */
  path: string;
  about: string;
  commands: { name: string; about: string }[];
  options: { flag: string; about: string; choices: readonly string[]; takesValue: boolean }[];
  takesFiles: boolean;
}

/**
 * Returns a script that completes commands, options and files, generated from the commands of a program themselves. A value
 * of which nothing is known may be a path.
 */
export function completionScript(program: Command, shell: Shell): string {
  const name = program.name();
  const places = collectNodes(program, '');
  if (shell === 'bash') return bashScript(name, places);
  return shell === 'zsh' ? zshScript(name, places) : fishScript(name, places);
}

function collectNodes(command: Command, path: string): CommandNode[] {
  const commands = command.commands.map((child) => ({ name: child.name(), about: child.description() }));
  const place: CommandNode = {
    path,
    about: command.description(),
    commands,
    options: [
      ...command.options.flatMap(({ long, description, hidden, argChoices = [], ...option }) =>
        long && !hidden
          ? [{ flag: long, about: description, choices: argChoices, takesValue: option.required || option.optional }]
          : [],
      ),
      help,
    ],
    takesFiles: command.registeredArguments.some((argument) => /^(?:file|dir|path)$/i.test(argument.name())),
  };
  const deeper = command.commands.flatMap((child) => collectNodes(child, `${path} ${child.name()}`.trim()));
  return [place, ...deeper];
}

const help = { flag: '--help', about: 'display help for command', choices: [], takesValue: false };

/** Returns a shell script that follows the words before the cursor down the tree of commands. */
function walkScript(places: CommandNode[]): string {
  const steps = places.filter(({ path }) => path !== '').map(({ path }) => `'${path}') place='${path}' ;;`);
  return `case "\${place:+$place }$word" in\n      ${steps.join('\n      ')}\n    esac`;
}

/** Returns the first branches of a shell condition, which complete the values of the option before the cursor. */
function optionValuesScript(
  options: CommandNode['options'],
  before: string,
  complete: (choices: string) => string,
): string {
  return options
    .filter(({ choices }) => choices.length > 0)
    .map(({ flag, choices }) => `if [[ ${before} == ${flag} ]]; then ${complete(choices.join(' '))}; el`)
    .join('');
}

function bashScript(program: string, places: CommandNode[]): string {
  const cases = places.map(({ path, commands, options, takesFiles }) => {
    const flags = options.map(({ flag }) => flag).join(' ');
    const words = commands.map(({ name }) => name).join(' ');
    const other = takesFiles ? 'compgen -f -- "$current"' : `compgen -W '${words}' -- "$current"`;
    const values = optionValuesScript(
      options,
      '$before',
      (choices) => `found=$(compgen -W '${choices}' -- "$current")`,
    );
    return `    '${path}')
      ${values}if [[ $current == -* ]]; then found=$(compgen -W '${flags}' -- "$current"); else found=$(${other}); fi ;;`;
  });
  return `# bash completion for ${program}: put it as ${program} into /usr/share/bash-completion/completions
_${program}() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} place='' word found=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    ${walkScript(places)}
  done
  case "$place" in
${cases.join('\n')}
  esac
  mapfile -t COMPREPLY <<<"$found"
  [[ $found ]] || COMPREPLY=()
}
complete -o filenames -o default -F _${program} ${program}
`;
}

function zshScript(program: string, places: CommandNode[]): string {
  const describe = (items: { name: string; about: string }[]) =>
    items.map(({ name, about }) => `'${name}:${replaceQuotes(about)}'`).join(' ');
  const cases = places.map(({ path, commands, options, takesFiles }) => {
    const flags = describe(options.map(({ flag, about }) => ({ name: flag, about })));
    const other = takesFiles ? '_files' : `items=(${describe(commands)}); _describe command items || _files`;
    const values = optionValuesScript(
      options,
      '${words[CURRENT-1]}',
      (choices) => `items=(${choices}); _describe value items`,
    );
    return `    '${path}')
      ${values}if [[ $PREFIX == -* ]]; then items=(${flags}); _describe option items; else ${other}; fi ;;`;
  });
  return `#compdef ${program}
# zsh completion for ${program}: put it as _${program} into a folder of $fpath
_${program}() {
  local place='' word
  local -a items
  for word in "\${words[@]:1:CURRENT-2}"; do
    ${walkScript(places)}
  done
  case "$place" in
${cases.join('\n')}
  esac
}
if [[ $funcstack[1] == _${program} ]]; then _${program}; else compdef _${program} ${program}; fi
`;
}

function fishScript(program: string, places: CommandNode[]): string {
  const lines = places.flatMap(({ path, commands, options, takesFiles }) => {
    const here = `-n "test (__${program}_place) = '${path}'"`;
    return [
      ...commands.map(({ name, about }) => `complete -c ${program} ${here} -f -a ${name} -d '${replaceQuotes(about)}'`),
      ...options.map(({ flag, about, choices, takesValue }) => {
        const files = takesValue ? ' -r -F' : '';
        const values = choices.length > 0 ? ` -x -a '${choices.join(' ')}'` : files;
        return `complete -c ${program} ${here} -l ${flag.slice(2)}${values} -d '${replaceQuotes(about)}'`;
      }),
      ...(takesFiles ? [`complete -c ${program} ${here} -F`] : []),
    ];
  });
  const steps = places
    .filter(({ path }) => path !== '')
    .map(({ path }) => `      case '${path}'\n        set place '${path}'`);
  return `# fish completion for ${program}: put it as ${program}.fish into ~/.config/fish/completions
function __${program}_place
  set -l place ''
  for word in (commandline -opc)[2..]
    switch (string trim "$place $word")
${steps.join('\n')}
    end
  end
  echo $place
end
complete -c ${program} -f
${lines.join('\n')}
`;
}

function replaceQuotes(text: string): string {
  return text.replaceAll("'", '’');
}
