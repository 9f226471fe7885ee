import type { AudioStreams, Clock, LegMeasures, Logger, Media, MediaLegs, Secrets } from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import type { ClusterNodes } from '../../kernel/cluster-nodes.ts';
import type { SessionRunner } from '../../kernel/session-runner.ts';
import type { Calls, CallsOverNodes } from '../calls/index.ts';
import { createCommands } from './commands.ts';
import { linkedCalls } from './legs/linked-calls.ts';
import { defineLinks } from './link-sessions.ts';
import { createLinkMessages } from './nodes/link-messages.ts';
import { createTransferMessages } from './nodes/transfer-messages.ts';
import type { Conversations, Elsewhere, MediaLinks } from './public-api.ts';
import { defineRemoteLegs } from './remote-leg-sessions.ts';
import { createTransfers } from './transfer-commands.ts';

export interface MediaLinksDeps {
  readonly runner: SessionRunner;
  readonly clock: Clock;
  readonly log: Logger;
  readonly secrets: Pick<Secrets, 'randomBytes'>;
  readonly newUuid: () => string;
  readonly calls: Calls & { readonly overNodes: CallsOverNodes };
  readonly media: Media & LegMeasures;
  readonly audioStreams: Pick<AudioStreams, 'press'>;
  /** Absent where one process owns the database. */
  readonly nodes?: ClusterNodes;
  readonly linkedAudio?: LinkedAudio;
}

/** Audio between the nodes of a cluster. */
export interface LinkedAudio {
  readonly legs: MediaLegs;
  /** At which other nodes reach the audio of this one. */
  readonly address: string;
}

export interface MediaLinksFeature extends Feature, MediaLinks {}

/** Legs of this node in conversations of others, and legs of others in conversations of this one. */
export function createMediaLinks(deps: MediaLinksDeps): MediaLinksFeature {
  const { calls, nodes, linkedAudio } = deps;
  if (nodes === undefined || linkedAudio === undefined) return { name: 'media-links', calls };
  return { name: 'media-links', ...overNodes(deps, nodes, linkedAudio) };
}

function overNodes(
  deps: MediaLinksDeps,
  nodes: ClusterNodes,
  { legs: mediaLegs, address: mediaAddress }: LinkedAudio,
): Required<MediaLinks> {
  const messages = createLinkMessages(nodes, deps.log);
  let conversations: Conversations | undefined;
  const parts = { ...deps, nodes, messages, mediaLegs, mediaAddress };
  const links = defineLinks({
    ...parts,
    conversations: {
      fieldsOfLoss: (...joined) => conversations?.fieldsOfLoss(...joined) ?? {},
      runDocument: (...run) => conversations?.runDocument(...run),
    },
  });
  const remote = defineRemoteLegs(parts);
  const { join, admit, claim, give } = createCommands({ ...parts, links, remote });
  // A link has one node at its other end: it is unknown to every other one.
  messages.serveOrders({
    async fromLeg(link, number, order, from) {
      if (remote.sessions.peek(link)?.node !== from) return undefined;
      return remote.sessions.ask(link, { type: 'order', number, order });
    },
    async fromRoom(link, number, order, from) {
      if (links.peek(link)?.node !== from) return undefined;
      return links.ask(link, { type: 'order', number, order });
    },
  });
  messages.serveClaims(give);
  const elsewhere: Elsewhere = {
    join,
    claim,
    runDocument(leg, document) {
      const found = remote.find(leg);
      if (found !== undefined) remote.sessions.send(found.link, { type: 'run-document', document });
      return found !== undefined;
    },
    admitBy(given) {
      conversations = given;
      messages.serveJoins((message, from) => admit(given, message, from));
    },
  };
  const legs = linkedCalls(deps.calls, remote);
  const { overNodes } = deps.calls;
  const transfers = createTransfers({
    ...parts,
    ...{ own: nodes.peers.own, messages: createTransferMessages(nodes), links, remote, overNodes },
  });
  overNodes.reach({ legs, ...transfers });
  return {
    calls: legs,
    elsewhere,
  };
}
