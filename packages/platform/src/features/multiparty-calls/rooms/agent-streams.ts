import type { Logger } from '@jackfield/ports';
import type { Streams } from '../../streams/index.ts';
import type { MultipartyCall, MultipartyCallInput } from '../domain/multiparty-call.ts';
import type { AgentStream, Participant } from '../domain/participant.ts';
import type { Room } from './rooms.ts';

export interface AgentStreamsDeps {
  readonly streams: Pick<Streams, 'ownedBy' | 'start' | 'stop' | 'retrack'>;
  readonly log: Logger;
  readonly ownerKind: string;
  /** Does nothing for an ended call. */
  readonly send: (mpc: string, input: MultipartyCallInput) => void;
}

/** Participants that are programs: a stream that is a leg, connected instead of dialling a phone. */
export interface AgentStreams {
  connect(
    mpc: string,
    call: Pick<MultipartyCall, 'account' | 'mainAccount' | 'name'>,
    participant: Participant,
    agent: AgentStream,
  ): void;
  /** False for the leg of a phone. */
  disconnect(leg: string): boolean;
  /** Updates the legs whose keys each program receives, and those that receive its keys. */
  changed(room: Room): void;
}

/** Stream and leg have the same name. */
export function createAgentStreams({ streams, log, ownerKind, send }: AgentStreamsDeps): AgentStreams {
  /** By program: the legs of the last command. */
  const live = new Map<string, string>();

  streams.ownedBy(ownerKind, (mpc, { type, stream }) => {
    if (type === 'stream-begun') return send(mpc, { type: 'leg-answered', leg: stream });
    live.delete(stream);
    send(mpc, { type: 'leg-ended', leg: stream });
  });

  /** A program hears the audio that its leg receives by the hearing table. */
  function tracksOf(leg: string, others: readonly string[]) {
    return [{ name: 'inbound', said: [], heard: [leg], keysOf: others }];
  }

  function fail(mpc: string, leg: string, why: object): void {
    log.warn({ mpc, leg, ...why }, 'stream of an ai-agent not connected');
    live.delete(leg);
    send(mpc, { type: 'leg-ended', leg });
  }

  return {
    connect(mpc, { account, mainAccount, name }, { leg, memberId, spec }, agent) {
      live.set(leg, '');
      streams
        .start({
          ...agent,
          stream: leg,
          account,
          mainAccount,
          owner: { kind: ownerKind, id: mpc },
          callUuid: leg,
          asLeg: leg,
          from: spec.from,
          to: spec.to,
          bidirectional: true,
          audioTrack: 'inbound',
          tracks: tracksOf(leg, []),
          hearers: [],
          timeoutSeconds: 86_400,
          noiseCancellationLevel: null,
          fields: { MPCUUID: mpc, MPCName: name, MemberID: String(memberId) },
        })
        .then(
          (started) => {
            if (!started.ok) fail(mpc, leg, { sentence: started.problem.sentence });
          },
          (err: unknown) => fail(mpc, leg, { err }),
        );
    },
    disconnect(leg) {
      if (!live.has(leg)) return false;
      streams.stop(leg, 'Call hangup');
      return true;
    },
    changed({ members }) {
      for (const { leg, role } of members) {
        const before = live.get(leg);
        if (role !== 'ai-agent' || before === undefined) continue;
        const others = members.filter((other) => other.leg !== leg && other.isListening);
        const legs = others.map((other) => other.leg);
        const shape = legs.join();
        if (shape === before) continue;
        live.set(leg, shape);
        streams.retrack(leg, tracksOf(leg, legs), legs);
      }
    },
  };
}
