import type { AudioStreams, Logger, Media, MediaLegs } from '@jackfield/ports';
import { callEnds } from '@jackfield/ports';
import type { ClusterNodes } from '../../kernel/cluster-nodes.ts';
import type { SessionRunner, Sessions } from '../../kernel/session-runner.ts';
import type { CallsOverNodes, OwnedLegNotice } from '../calls/index.ts';
import {
  isHere,
  type RemoteLeg,
  type RemoteLegEffect,
  type RemoteLegInput,
  type RemoteLegNotice,
  remoteLegMachine,
} from './domain/remote-leg.ts';
import type { LinkMessages } from './nodes/link-messages.ts';

export interface RemoteLegDeps {
  readonly runner: SessionRunner;
  readonly log: Logger;
  readonly media: Media;
  readonly audioStreams: Pick<AudioStreams, 'press'>;
  readonly mediaLegs: MediaLegs;
  readonly nodes: Pick<ClusterNodes, 'peers'>;
  readonly messages: LinkMessages;
  readonly calls: { readonly overNodes: Pick<CallsOverNodes, 'notify'> };
}

/** Legs of other nodes in conversations of this one. */
export interface RemoteLegs {
  readonly sessions: Sessions<RemoteLeg, RemoteLegInput>;
  /** By the call UUID; undefined for a leg that is not here. */
  find(leg: string): RemoteLeg | undefined;
  /** Opens its session, under the name of the link. */
  open(remote: RemoteLeg): Promise<void>;
  /** Resolves when the name of this leg is free for another media leg. */
  closed(leg: string): Promise<unknown>;
}

/** One session for each, named by the link. Nothing is kept: its home has the record. */
export function defineRemoteLegs(deps: RemoteLegDeps): RemoteLegs {
  /** Links by call UUID. */
  const byLeg = new Map<string, string>();
  const closings = new Map<string, Promise<unknown>>();

  function closeAudio(leg: string): void {
    const closing = deps.mediaLegs
      .close(leg)
      .catch((err: unknown) => deps.log.error({ leg, err }, 'audio of a remote leg not closed'))
      .finally(() => {
        if (closings.get(leg) === closing) closings.delete(leg);
      });
    closings.set(leg, closing);
  }

  const sessions = deps.runner.define<RemoteLeg, RemoteLegInput, RemoteLegEffect>({
    name: 'remote-leg',
    machine: remoteLegMachine,
    isEnded: ({ phase }) => phase === 'over',
    perform(link, effect) {
      const remote = sessions.peek(link);
      if (remote === undefined) return;
      const { leg } = remote.leg;
      if (!isHere(remote) && byLeg.get(leg) === link) byLeg.delete(leg);
      if (effect.do === 'close-audio') closeAudio(leg);
      else perform(deps, sessions, remote, effect);
    },
  });

  const find = (leg: string) => {
    const remote = sessions.peek(byLeg.get(leg) ?? '');
    return remote !== undefined && isHere(remote) ? remote : undefined;
  };
  deps.media.subscribe((notice) => {
    if (byLeg.size === 0 || !('leg' in notice)) return;
    const remote = find(notice.leg);
    if (remote === undefined) return;
    if (notice.type === 'keys-to-send')
      sessions.send(remote.link, { type: 'send-digits', digits: notice.digits });
    else if (notice.type === 'voice')
      sessions.send(remote.link, { type: 'leg-voice', speaking: notice.speaking });
    else if (notice.type === 'media-silent' || notice.type === 'media-lost')
      sessions.send(remote.link, { type: 'audio-lost' });
  });

  return {
    sessions,
    find,
    async open(remote) {
      byLeg.set(remote.leg.leg, remote.link);
      await sessions.open(remote.link, remote, { type: 'opened' });
    },
    closed: async (leg) => closings.get(leg),
  };
}

function perform(
  { nodes, messages, calls, audioStreams }: RemoteLegDeps,
  sessions: Sessions<RemoteLeg, RemoteLegInput>,
  { link, node, leg: { leg } }: RemoteLeg,
  effect: Exclude<RemoteLegEffect, { readonly do: 'close-audio' }>,
): void {
  const send = (input: RemoteLegInput) => {
    if (sessions.peek(link) !== undefined) sessions.send(link, input);
  };
  switch (effect.do) {
    case 'notify-owner':
      calls.overNodes.notify(effect.owner, noticeOf(leg, effect.notice));
      break;
    case 'press':
      // Its home reports the key when it is over.
      audioStreams.press({ leg, digit: effect.digit, durationMs: 0 });
      break;
    case 'send':
      void messages.send(node, { link, side: 'room', number: effect.number, order: effect.order }).then(send);
      break;
    case 'look':
      if (!nodes.peers.isAlive(node)) send({ type: 'node-gone' });
  }
}

/** How long the call lasted is in its record, at its home. */
function noticeOf(leg: string, notice: RemoteLegNotice): OwnedLegNotice {
  if (notice.type !== 'leg-ended') return { ...notice, leg };
  const end = notice.end === 'node-gone' ? callEnds(5010, 'Error') : notice.end;
  return { type: 'leg-ended', leg, end, durationSeconds: 0 };
}
