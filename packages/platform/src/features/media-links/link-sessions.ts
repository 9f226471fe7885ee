import type { Clock, Logger, Media, MediaLegs } from '@jackfield/ports';
import type { ClusterNodes } from '../../kernel/cluster-nodes.ts';
import type { SessionRunner, Sessions } from '../../kernel/session-runner.ts';
import type { Calls, CallsOverNodes, LegOwner } from '../calls/index.ts';
import {
  type MediaLink,
  type MediaLinkEffect,
  type MediaLinkInput,
  mediaLinkMachine,
} from './domain/media-link.ts';
import type { LinkMessages } from './nodes/link-messages.ts';
import type { Conversations } from './public-api.ts';

export interface LinkSessionDeps {
  readonly runner: SessionRunner;
  readonly clock: Clock;
  readonly log: Logger;
  readonly media: Media;
  readonly mediaLegs: MediaLegs;
  readonly calls: Calls & { readonly overNodes: Pick<CallsOverNodes, 'reported'> };
  readonly nodes: Pick<ClusterNodes, 'peers'>;
  readonly messages: LinkMessages;
  readonly conversations: Pick<Conversations, 'fieldsOfLoss' | 'runDocument'>;
}

/** Borrowers of legs; the borrower's id is the link. */
const ownerKind = 'media-link';

/** The link that owns a leg, or undefined. */
export function linkOf(owner: LegOwner | null | undefined): string | undefined {
  return owner?.kind === ownerKind ? owner.id : undefined;
}

export function borrowerOf(link: string) {
  return { kind: ownerKind, id: link };
}

/** The media leg of a link, beside that of its call; the mix that joins both has the same name. */
export function audioOf(link: string): string {
  return `${ownerKind}/${link}`;
}

/** One session for each leg that this node has in a conversation of another one, named by the link. Nothing is kept: the leg ends with this process. */
export function defineLinks(deps: LinkSessionDeps): Sessions<MediaLink, MediaLinkInput> {
  const links = deps.runner.define<MediaLink, MediaLinkInput, MediaLinkEffect>({
    name: ownerKind,
    machine: mediaLinkMachine,
    isEnded: ({ phase }) => phase === 'over',
    perform(id, effect) {
      const link = links.peek(id);
      if (link !== undefined) perform(deps, links, link, effect);
    },
  });
  const send = (id: string, input: MediaLinkInput) => {
    if (links.peek(id) !== undefined) links.send(id, input);
  };
  deps.calls.ownedBy(ownerKind, (id, notice) => {
    if (notice.type === 'leg-digit' || notice.type === 'leg-taken' || notice.type === 'leg-ended')
      send(id, notice);
  });
  deps.media.subscribe((notice) => {
    if (notice.type !== 'media-silent' && notice.type !== 'media-lost') return;
    const [kind, id = ''] = notice.leg.split('/');
    if (kind === ownerKind) send(id, { type: 'audio-lost' });
  });
  return links;
}

function perform(
  deps: LinkSessionDeps,
  links: Sessions<MediaLink, MediaLinkInput>,
  state: MediaLink,
  effect: MediaLinkEffect,
): void {
  const { log, media, mediaLegs, calls, nodes, messages, conversations } = deps;
  const { link, leg, node } = state;
  const audio = audioOf(link);
  const send = (input: MediaLinkInput) => {
    if (links.peek(link) !== undefined) links.send(link, input);
  };
  switch (effect.do) {
    case 'bridge':
      media.send({ do: 'open-mix', mix: audio });
      media.send({
        do: 'set-hearing',
        mix: audio,
        members: [
          { leg, hears: [audio] },
          { leg: audio, hears: [leg] },
        ],
      });
      break;
    case 'close-audio':
      media.send({ do: 'close-mix', mix: audio });
      mediaLegs
        .close(audio)
        .catch((err: unknown) => log.error({ link, err }, 'audio of a media link not closed'));
      break;
    case 'give-back':
      calls.giveBack(leg, borrowerOf(link), effect.fields);
      break;
    case 'give-back-lost':
      giveBackLost(deps, state);
      break;
    case 'take':
      calls
        .take(leg, borrowerOf(link))
        .catch((err: unknown) => log.error({ link, leg, err }, 'leg not taken'));
      break;
    case 'run-document':
      conversations.runDocument(borrowerOf(link), effect.document);
      break;
    case 'hang-up':
      calls.hangUp(leg, effect.end);
      break;
    case 'send-digits':
      media.send({ do: 'send-digits', leg, digits: effect.digits });
      break;
    case 'extend':
      calls.extend(leg, effect.seconds);
      break;
    case 'report-transfer':
      calls.overNodes.reported(leg, effect.status);
      break;
    case 'send':
      void messages.send(node, { link, side: 'leg', number: effect.number, order: effect.order }).then(send);
      break;
    case 'look':
      if (!nodes.peers.isAlive(node)) send({ type: 'node-gone' });
  }
}

/** As behind the end of its conversation. */
function giveBackLost(
  { clock, log, calls, conversations }: LinkSessionDeps,
  { link, leg, node, isTaken, exitDocument, endOfLoss, fields: joined }: MediaLink,
): void {
  const fields = conversations.fieldsOfLoss(joined, clock.wallNow());
  log.warn({ link, leg, node }, 'media link lost: the leg leaves the conversation');
  if (!isTaken) calls.giveBack(leg, borrowerOf(link), fields);
  else if (exitDocument === null) calls.hangUp(leg, endOfLoss);
  else conversations.runDocument(borrowerOf(link), { ...exitDocument, fields });
}
