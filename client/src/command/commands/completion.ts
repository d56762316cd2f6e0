import type { Command } from 'commander';

export type Shell = 'bash' | 'zsh' | 'fish';

interface CompletedOption {
  flag: string;
  short?: string | undefined;
  about: string;
  choices: readonly string[];
  takesValue: boolean;
}

interface CommandNode {
  /** The words of the command, without the name of the program. */
  path: string;
  about: string;
  commands: { name: string; about: string }[];
  options: CompletedOption[];
  /** The values of its arguments, if they are known. */
  values: readonly string[];
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
      ...command.options.flatMap(({ long, short, description, hidden, argChoices = [], ...option }) => {
        const takesValue = option.required || option.optional;
        return long && !hidden ? [{ flag: long, short, about: description, choices: argChoices, takesValue }] : [];
      }),
      help,
    ],
    values: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    takesFiles: command.registeredArguments.some((argument) => /^(?:file|dir|path)$/i.test(argument.name())),
  };
  const deeper = command.commands.flatMap((child) => collectNodes(child, `${path} ${child.name()}`.trim()));
  return [place, ...deeper];
}

const help = { flag: '--help', short: '-h', about: 'display help for command', choices: [], takesValue: false };

/** Returns a shell script that follows the words before the cursor down the tree of commands. */
function walkScript(places: CommandNode[]): string {
  const steps = places.filter(({ path }) => path !== '').map(({ path }) => `'${path}') place='${path}' ;;`);
  return `case "\${place:+$place }$word" in\n      ${steps.join('\n      ')}\n    esac`;
}

/** Returns the first branches of a shell condition, which complete the value of the option before the cursor. */
function optionValuesScript(
  options: readonly CompletedOption[],
  completeChoices: (choices: string) => string,
  completePaths: string,
): string {
  const branches = options
    .filter(({ choices }) => choices.length > 0)
    .map(({ flag, choices }) => `if [[ $before == ${flag} ]]; then ${completeChoices(choices.join(' '))}; el`);
  const others = options.filter(({ choices, takesValue }) => takesValue && choices.length === 0);
  if (others.length > 0) {
    const flags = others.flatMap(({ flag, short }) => (short ? [short, flag] : [flag])).join(' ');
    branches.push(`if [[ ' ${flags} ' == *" $before "* ]]; then ${completePaths}; el`);
  }
  return branches.join('');
}

/** The shell itself completes paths, because it knows quotes and home folders. */
function bashScript(program: string, places: CommandNode[]): string {
  const paths = 'compopt -o default';
  const complete = (words: string) => `found=$(compgen -W '${words}' -- "$current")`;
  const cases = places.map(({ path, commands, options, values, takesFiles }) => {
    const flags = options.map(({ flag }) => flag).join(' ');
    const words = [...commands.map(({ name }) => name), ...values].join(' ');
    return `    '${path}')
      ${optionValuesScript(options, complete, paths)}if [[ $current == -* ]]; then ${complete(flags)}; else ${takesFiles ? paths : complete(words)}; fi ;;`;
  });
  return `# bash completion for ${program}: put it as ${program} into /usr/share/bash-completion/completions
_${program}() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} place='' word found=''
  # In --option=value, the sign is a word of its own.
  if [[ $current == = ]]; then current=''; elif [[ $before == = ]]; then before=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    ${walkScript(places)}
  done
  case "$place" in
${cases.join('\n')}
  esac
  mapfile -t COMPREPLY <<<"$found"
  [[ $found ]] || COMPREPLY=()
}
complete -F _${program} ${program}
`;
}

function zshScript(program: string, places: CommandNode[]): string {
  const describe = (items: { name: string; about: string }[]) =>
    `items=(${items.map(({ name, about }) => `'${name}:${replaceQuotes(about)}'`).join(' ')})`;
  const completeValues = (values: string) => `items=(${values}); _describe value items`;
  const cases = places.map(({ path, commands, options, values, takesFiles }) => {
    const flags = describe(options.map(({ flag, about }) => ({ name: flag, about })));
    const words =
      values.length > 0 ? completeValues(values.join(' ')) : `${describe(commands)}; _describe command items`;
    const argument = takesFiles ? '_files' : words;
    return `    '${path}')
      ${optionValuesScript(options, completeValues, '_files')}if [[ $PREFIX == -* ]]; then ${flags}; _describe option items; else ${argument}; fi ;;`;
  });
  return `#compdef ${program}
# zsh completion for ${program}: put it as _${program} into a folder of $fpath
_${program}() {
  local before=\${words[CURRENT-1]} place='' word
  local -a items
  for word in "\${(@)words[2,CURRENT-1]}"; do
    ${walkScript(places)}
  done
  if [[ $PREFIX == --*=* ]]; then before=\${PREFIX%%=*}; compset -P '*='; fi
  case "$place" in
${cases.join('\n')}
  esac
}
if [[ $funcstack[1] == _${program} ]]; then _${program}; else compdef _${program} ${program}; fi
`;
}

function fishScript(program: string, places: CommandNode[]): string {
  const lines = places.flatMap(({ path, commands, options, values, takesFiles }) => {
    const here = `-n "test (__${program}_place) = '${path}'"`;
    return [
      ...commands.map(({ name, about }) => `complete -c ${program} ${here} -f -a ${name} -d '${replaceQuotes(about)}'`),
      ...options.map(({ flag, short, about, choices, takesValue }) => {
        const names = `${short ? `-s ${short.slice(1)} ` : ''}-l ${flag.slice(2)}`;
        const files = takesValue ? ' -r -F' : '';
        const value = choices.length > 0 ? ` -x -a '${choices.join(' ')}'` : files;
        return `complete -c ${program} ${here} ${names}${value} -d '${replaceQuotes(about)}'`;
      }),
      ...(values.length > 0 ? [`complete -c ${program} ${here} -f -a '${values.join(' ')}'`] : []),
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
