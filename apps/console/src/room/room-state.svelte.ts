import type { HearingBody, HearingHistoryItem, MpcBody, ParticipantItem } from '@jackfield/contract';
import { ApiError, sentenceOf } from '../api/api-error.ts';
import { api, type Page, quietly } from '../api/client.ts';
import { EventStream, type EventStreamState } from '../api/event-stream.ts';

/** A person of a multiparty call, with what the matrix shows. */
export type Person = HearingBody['participants'][number] & { readonly address: string };

/** Changes come in bursts: one read for all of a burst. */
const burstMs = 120;

/** One multiparty call, kept up to date by the event stream. */
export class RoomState {
  readonly path: string;
  mpc = $state.raw<MpcBody | undefined>(undefined);
  people = $state.raw<readonly Person[]>([]);
  /** Participants that are called and have not joined. */
  awaited = $state.raw<readonly ParticipantItem[]>([]);
  history = $state.raw<readonly HearingHistoryItem[]>([]);
  /** How many times lie before those of `history`. */
  earlier = $state(0);
  coaching = $state.raw<{ readonly all: number; readonly byAgents: number } | undefined>(undefined);
  problem = $state('');
  eventStreamState = $state<EventStreamState>('connecting');
  #eventStream: EventStream | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;

  constructor(uuid: string) {
    this.path = `MultiPartyCall/uuid_${encodeURIComponent(uuid)}/`;
    this.#eventStream = new EventStream({
      onEvents: (events) => {
        if (events.some(({ resource, data }) => resource.endsWith(uuid) || data.MPCUUID === uuid))
          this.refresh();
      },
      onGap: () => void this.#read(this.mpc === undefined ? api : (_, path) => quietly(path)),
      onState: (state) => {
        this.eventStreamState = state;
      },
    });
  }

  close(): void {
    clearTimeout(this.#pause);
    this.#eventStream?.close();
  }

  refresh(): void {
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined;
      void this.#read((_, path) => quietly(path));
    }, burstMs);
  }

  async #read(get: <Body>(method: 'GET', path: string) => Promise<Body>): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    const { path } = this;
    try {
      const [mpc, hearing, participants, history, coaching, byAgents] = await Promise.all([
        get<MpcBody>('GET', path),
        get<HearingBody>('GET', `${path}Hearing/`).catch(noneWhenOver),
        get<Page<ParticipantItem>>('GET', `${path}Participant/`).catch(noneWhenOver),
        newestOf<HearingHistoryItem>((query) => get('GET', `${path}Hearing/History/${query}`)),
        get<Page<unknown>>('GET', `${path}Hearing/History/?coaching=true&limit=1`),
        get<Page<unknown>>('GET', `${path}Hearing/History/?coaching=true&listener_role=agent&limit=1`),
      ]);
      if (turn !== this.#turn) return;
      const addresses = new Map(participants?.objects.map((each) => [each.member_id, each.member_address]));
      this.mpc = mpc;
      this.people = (hearing?.participants ?? []).map((each) => ({
        ...each,
        address: addresses.get(each.member_id) ?? '',
      }));
      const joined = new Set(this.people.map(({ member_id }) => member_id));
      this.awaited = (participants?.objects ?? []).filter(
        ({ member_id, status }) => !joined.has(member_id) && status !== 'exited',
      );
      this.history = history.objects;
      this.earlier = history.meta.total_count - history.objects.length;
      this.coaching = { all: coaching.meta.total_count, byAgents: byAgents.meta.total_count };
      this.problem = '';
    } catch (fault) {
      if (turn === this.#turn) this.problem = sentenceOf(fault);
    }
  }
}

/** The newest items of a list that begins with the oldest. */
async function newestOf<Item>(get: (query: string) => Promise<Page<Item>>): Promise<Page<Item>> {
  const first = await get('');
  const { total_count: total, limit } = first.meta;
  return total > limit ? get(`?offset=${total - limit}`) : first;
}

/** A call that is over has neither members nor a matrix. */
function noneWhenOver(fault: unknown): undefined {
  if (fault instanceof ApiError && fault.status === 404) return undefined;
  throw fault;
}

/** Why a listener does not hear a speaker, as a key of `texts.room.why`. */
export function whyNot(
  listener: Person,
  speaker: Person,
): 'held-listener' | 'held' | 'muted' | 'coaches' | 'other' {
  if (listener.hold) return 'held-listener';
  if (speaker.hold) return 'held';
  if (speaker.mute) return 'muted';
  if (speaker.role === 'supervisor' && speaker.coach_mode && listener.role !== 'agent') return 'coaches';
  return 'other';
}
