import { findHolders, listFollowedFiles } from '../../../domain/drops/find-sent-drops.ts';
import type { FollowedFile, FollowedReceiver, SentDrop } from '../../../domain/drops/sent-drop-store.ts';
import { listSharedLinkChoices, listSharedLinks } from '../../../domain/drops/shared-links.ts';
import { replyWithOwnFile, replyWithOwnZip } from '../../../http/transfer/reply-with-own-files.ts';
import { type FolderPlace, toFolderView } from '../components/folder-view.tsx';
import type { AppContext, AppRoute, Member, MemberVisit } from '../shared/app-route.ts';
import { readQueryFields } from '../shared/list-visit.ts';
import { requireUuid } from '../shared/require-uuid.ts';
import type { DropFile } from './drop-files.tsx';
import { DropPage, type DropPageProps, dropTitle } from './drop-page.tsx';
import { isReceiverGroup } from './receiver-groups.ts';
import { itemRoutes } from './sent-item-routes.tsx';
import { readPosition, requireSent } from './sent-task-form.ts';

/** Names beside a file; the others are counted. */
const shownHolders = 2;

/** The page of one delivery, and what can be done with it. */
export const dropRoutes: readonly AppRoute[] = [
  ...itemRoutes({
    screen: 'sent',
    readArrivals: async () => undefined,
    async toPage(visit, { item, receivers, links, ...about }) {
      const { engines, actor, translator } = visit;
      const fields = readQueryFields(visit);
      const place = { folder: fields.get('folder') ?? undefined, after: fields.get('files') ?? undefined };
      const group = fields.get('who') ?? '';
      const files = await listFollowedFiles(engines, actor.accountId, item.id);
      const sharedLinks = await listSharedLinks(engines, actor.accountId, item.id);
      const drop = { ...item, receiverCount: receivers.length, secondFactorRule: null };
      const props: DropPageProps = {
        ...about,
        sharedLinks: {
          links: sharedLinks,
          choices: await listSharedLinkChoices(engines, actor.accountId, drop, sharedLinks),
          shown: links,
        },
        item,
        receivers,
        files: await addHolders(visit, item, files, receivers, place),
        isJustSent: fields.get('sent') === '1',
        place,
        among: {
          group: isReceiverGroup(group) ? group : undefined,
          after: readPosition(fields.get('receivers')),
        },
      };
      return { title: dropTitle(translator, props), page: <DropPage {...props} /> };
    },
  }),
  ...(['GET', 'HEAD'] as const).flatMap((method): AppRoute[] => [
    {
      method,
      path: '/:user/sent/:id/files/:file',
      access: 'reader',
      transfer: true,
      async handle(visit) {
        const { file } = visit.request.params as { file: string };
        const { id } = await requireSent(visit, 'downloadfiles');
        return replyWithOwnFile(visit, id, requireUuid(file));
      },
    },
    {
      method,
      path: '/:user/sent/:id/all.zip',
      access: 'reader',
      transfer: true,
      handle: async (visit) => replyWithOwnZip(visit, await requireSent(visit, 'downloadfiles')),
    },
  ]),
];

/** Says who has the files that the page shows. One who has everything need not be looked up file by file. */
async function addHolders(
  { engines, actor, translator }: AppContext & Member & Pick<MemberVisit, 'translator'>,
  drop: Pick<SentDrop, 'id'>,
  files: readonly FollowedFile[],
  receivers: readonly FollowedReceiver[],
  place: FolderPlace,
): Promise<DropFile[]> {
  const view = toFolderView(files, translator.locale, place);
  const items = view.isWhole ? files : view.files;
  const complete = receivers.filter(({ completedAt }) => completedAt !== null);
  const among = {
    fileIds: items.map(({ id }) => id),
    positions: receivers.filter(({ completedAt }) => completedAt === null).map(({ position }) => position),
  };
  const found = await findHolders(engines, actor.accountId, drop.id, among, shownHolders);
  const byFile = new Map(found.map((holders) => [holders.fileId, holders]));
  const byPosition = new Map(receivers.map((receiver) => [receiver.position, receiver]));
  const shown = new Set(among.fileIds);
  return files.map((file) => {
    if (!shown.has(file.id)) return file;
    const { deliveredCount = 0, partlyCount = 0, deliveredTo = [], partlyTo = [] } = byFile.get(file.id) ?? {};
    return {
      ...file,
      holders: {
        deliveredCount: complete.length + deliveredCount,
        deliveredTo: deliveredTo.flatMap((position) => byPosition.get(position) ?? []),
        partlyCount,
        partlyTo: partlyTo.flatMap(({ position, bytes }) => {
          const person = byPosition.get(position);
          return person ? [{ person, percent: Math.floor((bytes * 100) / file.sizeBytes) }] : [];
        }),
      },
    };
  });
}
