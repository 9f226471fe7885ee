import type { Instant } from '@jackfield/ports';

/** A row of the outbox at the end, in the order of its id. */
export interface RecordedEvent {
  readonly eventId: string;
  readonly resource: string;
  readonly type: string;
  /** `ordered`: its receiver gets it behind the earlier ones of its resource; `given-up`: its attempts have ended without success. */
  readonly callback: 'none' | 'ordered' | 'unordered' | 'given-up';
}

/** A record of a leg as one answer of the API showed it, in the order of the answers. */
export interface LegSighting {
  readonly leg: string;
  /** Everything that the end decides: time, cause, duration; undefined while it lives. */
  readonly end: string | undefined;
}

/** What a carrier saw of one call. */
export interface CarrierCall {
  readonly from: Instant;
  readonly to: Instant;
  readonly cost: number;
}

export interface CarrierHistory {
  readonly carrier: string;
  readonly calls: readonly CarrierCall[];
  readonly caps: { readonly atOnce?: number; readonly perSecond?: number; readonly spendPerHour?: number };
}

/** A phone in a multiparty call from one time to another. */
export interface Participation {
  readonly phone: string;
  readonly role: 'agent' | 'customer' | 'supervisor';
  readonly isCoach: boolean;
  readonly from: Instant;
  readonly to: Instant;
}

/** A frame that a phone received, and whose tones were in it. */
export interface HeardTones {
  readonly listener: string;
  readonly at: Instant;
  readonly speakers: readonly string[];
}

/** `step` counts the commits of all nodes. */
export interface WriteOfIncarnation {
  readonly incarnation: number;
  readonly step: number;
}

export interface LiveRoom {
  readonly account: string;
  readonly name: string;
  readonly uuid: string;
}

/** The answer to a request with an Idempotency-Key. */
export interface KeyedAnswer {
  readonly key: string;
  readonly status: number;
  readonly body: string;
}

export interface LiveRow {
  readonly table: string;
  readonly id: string;
  readonly incarnation: number;
}

/** What is left some time after the last fault. */
export interface Leftovers {
  readonly running: readonly number[];
  readonly liveRows: readonly LiveRow[];
  /** Calls that each phone is in, and the live rows of legs to and from it. */
  readonly phones: readonly { readonly phone: string; readonly calls: number; readonly rows: number }[];
  readonly census: Readonly<Record<string, number>>;
}

/**
 * A leg as billed, and as its phone had it. The 200 of the phone and the BYE of the platform may be lost and repeated for seconds, and the
 * platform can bill neither before it has the one nor after it has sent the other. In both times it sends no audio.
 */
export interface Bill {
  readonly leg: string;
  readonly billedMs: number;
  /** From the first frame that the phone received to the last. */
  readonly heardMs: number;
  /** From the answer of the phone to the end that it knows. */
  readonly upMs: number;
}

/** A call to a phone that is registered at a running node, after the last fault. */
export interface CallAttempt {
  readonly phone: string;
  /** Undefined: it did not ring. */
  readonly rangAfterMs: number | undefined;
}

/** One run of several nodes. A part that a run does not have is empty. */
export interface History {
  readonly events: readonly RecordedEvent[];
  readonly sightings: readonly LegSighting[];
  /** Identifiers of the callbacks that their receiver accepted, repeats included, in the order of their arrival. */
  readonly accepted: readonly string[];
  readonly carriers: readonly CarrierHistory[];
  readonly participations: readonly Participation[];
  readonly heard: readonly HeardTones[];
  readonly writes: readonly WriteOfIncarnation[];
  /** When another process ended an incarnation. */
  readonly ends: readonly WriteOfIncarnation[];
  /** The live multiparty calls at several times. */
  readonly liveRooms: readonly (readonly LiveRoom[])[];
  readonly keyed: readonly KeyedAnswer[];
  /** What the requests with a key created. */
  readonly effects: readonly { readonly key: string; readonly id: string }[];
  readonly leftovers: Leftovers;
  readonly bills: readonly Bill[];
  readonly attempts: readonly CallAttempt[];
}

/** By its number in docs/decisions/0082-a-history-is-judged.md. */
export interface BrokenInvariant {
  readonly invariant: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
  readonly what: string;
}

type Broken = readonly string[];

/** The quality of a leg is measured behind its end; the end of a multiparty call closes what its members could hear. */
const behindAnEnd = new Set(['call.quality', 'multiparty-call.hearing-changed']);
/** A frame that was mixed before a change may still arrive: one tick of 20 ms, the network, and slack. */
const takesEffectMs = 40;
/** The billing of a killed node ends at its last heartbeat. */
const billedShortMs = 2_000;
/** Messages between a phone and its node are on the way at both ends of a call. */
const onTheWayMs = 100;
const callableWithinMs = 10_000;
const hourMs = 3_600_000;

const nothing: History = {
  events: [],
  sightings: [],
  accepted: [],
  carriers: [],
  participations: [],
  heard: [],
  writes: [],
  ends: [],
  liveRooms: [],
  keyed: [],
  effects: [],
  leftovers: { running: [], liveRows: [], phones: [], census: {} },
  bills: [],
  attempts: [],
};

/** Judges one run: which of the nine invariants it breaks, and by what. */
export function brokenInvariants(parts: Partial<History>): readonly BrokenInvariant[] {
  const history: History = { ...nothing, ...parts };
  const found: readonly [BrokenInvariant['invariant'], Broken][] = [
    [1, [...secondEnds(history), ...changedEnds(history)]],
    [2, deliveries(history)],
    [3, history.carriers.flatMap(exceededCaps)],
    [4, leakedCoaches(history)],
    [5, lateWrites(history)],
    [6, [...doubleRooms(history), ...doubleEffects(history)]],
    [7, leftBehind(history.leftovers)],
    [8, wrongBills(history)],
    [9, unreachable(history)],
  ];
  return found.flatMap(([invariant, broken]) => broken.map((what) => ({ invariant, what })));
}

function byResource(events: readonly RecordedEvent[]): ReadonlyMap<string, readonly RecordedEvent[]> {
  return Map.groupBy(events, ({ resource }) => resource);
}

/** A thing ends once, and nothing happens to it behind its end. */
function secondEnds({ events }: History): Broken {
  return [...byResource(events)].flatMap(([resource, own]) => {
    const end = own.findIndex(({ type }) => type.endsWith('.ended'));
    const later = end === -1 ? [] : own.slice(end + 1).filter(({ type }) => !behindAnEnd.has(type));
    return later.map(({ type }) => `${resource}: ${type} follows its end`);
  });
}

function changedEnds({ sightings }: History): Broken {
  const ends = new Map<string, string>();
  return sightings.flatMap(({ leg, end }) => {
    const first = ends.get(leg);
    if (first === undefined) {
      if (end !== undefined) ends.set(leg, end);
      return [];
    }
    return first === end ? [] : [`leg ${leg} had ended with ${first}, and is shown with ${end ?? 'no end'}`];
  });
}

/** Events of a resource arrive in their order up to repeats, and each recorded one arrives. */
function deliveries({ events, accepted }: History): Broken {
  const first = new Map<string, number>();
  accepted.forEach((eventId, position) => {
    if (!first.has(eventId)) first.set(eventId, position);
  });
  const known = new Set(events.map(({ eventId }) => eventId));
  const strange = [...first.keys()].filter((eventId) => !known.has(eventId));
  const lost = events.filter(
    ({ eventId, callback }) => (callback === 'ordered' || callback === 'unordered') && !first.has(eventId),
  );
  const ordered = events.filter(({ eventId, callback }) => callback === 'ordered' && first.has(eventId));
  const overtaken = [...byResource(ordered).values()].flatMap((own) =>
    own.slice(1).filter((event, index) => first.get(event.eventId)! < first.get(own[index]!.eventId)!),
  );
  return [
    ...strange.map((eventId) => `callback ${eventId} arrived and is not recorded`),
    ...lost.map(({ resource, type, eventId }) => `${resource}: ${type} ${eventId} never arrived`),
    ...overtaken.map(
      ({ resource, type, eventId }) => `${resource}: ${type} ${eventId} overtook the one ahead`,
    ),
  ];
}

/** As the carrier counts. A rate allows a second's calls at once, and the same number in each second behind them. */
function exceededCaps({ carrier, calls, caps }: CarrierHistory): Broken {
  const { atOnce = Infinity, perSecond = Infinity, spendPerHour = Infinity } = caps;
  return calls.flatMap(({ from: at, to: end }) => {
    const up = calls.filter(({ from, to }) => from <= at && to > at).length;
    const fast = calls.find(({ from: first }) => {
      const begun = calls.filter(({ from }) => from >= first && from <= at).length;
      return first <= at && begun > perSecond * (1 + (at - first) / 1_000);
    });
    const spent = calls
      .filter(({ to }) => to <= end && to > end - hourMs)
      .reduce((sum, { cost }) => sum + cost, 0);
    return [
      ...(up > atOnce ? [`${carrier}: ${up} calls at ${at}, ${atOnce} allowed`] : []),
      ...(fast === undefined
        ? []
        : [`${carrier}: too many calls from ${fast.from} to ${at}, ${perSecond} a second allowed`]),
      ...(spent > spendPerHour
        ? [`${carrier}: ${spent} spent in the hour to ${end}, ${spendPerHour} allowed`]
        : []),
    ];
  });
}

/** No frame of a customer holds the tone of a supervisor who coaches. */
function leakedCoaches({ participations, heard }: History): Broken {
  const during = (phone: string, at: Instant, isMeant: (each: Participation) => boolean) =>
    participations.some(
      (each) => each.phone === phone && isMeant(each) && each.from <= at - takesEffectMs && at < each.to,
    );
  return heard.flatMap(({ listener, at, speakers }) =>
    during(listener, at, ({ role }) => role === 'customer')
      ? speakers
          .filter((speaker) => during(speaker, at, ({ isCoach }) => isCoach))
          .map((speaker) => `customer ${listener} hears coach ${speaker} at ${at}`)
      : [],
  );
}

/** An ended incarnation writes nothing more. */
function lateWrites({ writes, ends }: History): Broken {
  const ended = new Map(ends.map(({ incarnation, step }) => [incarnation, step]));
  return writes
    .filter(({ incarnation, step }) => step > (ended.get(incarnation) ?? Infinity))
    .map(({ incarnation, step }) => `incarnation ${incarnation} writes in step ${step}, behind its end`);
}

function doubleRooms({ liveRooms }: History): Broken {
  const double = liveRooms.flatMap((rooms) =>
    [...Map.groupBy(rooms, ({ account, name }) => `${account}/${name}`)]
      .filter(([, same]) => same.length > 1)
      .map(([name, same]) => `${name} is live ${same.length} times: ${same.map(({ uuid }) => uuid).join()}`),
  );
  return [...new Set(double)];
}

/** One effect of each Idempotency-Key, and one answer but for those that say that the outcome is not known. */
function doubleEffects({ keyed, effects }: History): Broken {
  const answers = [...Map.groupBy(keyed, ({ key }) => key)].flatMap(([key, own]) => {
    const distinct = new Set(own.filter(({ status }) => status < 300).map(({ body }) => body));
    return distinct.size > 1 ? [`the key ${key} has ${distinct.size} answers`] : [];
  });
  const made = [...Map.groupBy(effects, ({ key }) => key)].flatMap(([key, own]) => {
    const ids = new Set(own.map(({ id }) => id));
    return ids.size > 1 ? [`the key ${key} has ${ids.size} effects: ${[...ids].join()}`] : [];
  });
  return [...answers, ...made];
}

function leftBehind({ running, liveRows, phones, census }: Leftovers): Broken {
  return [
    ...liveRows
      .filter(({ incarnation }) => !running.includes(incarnation))
      .map(
        ({ table, id, incarnation }) => `${table} ${id} lives in incarnation ${incarnation}, which has ended`,
      ),
    ...phones
      .filter(({ calls, rows }) => calls > rows)
      .map(({ phone, calls, rows }) => `${phone} is in ${calls} calls, and ${rows} are recorded`),
    ...Object.entries(census)
      .filter(([, number]) => number !== 0)
      .map(([what, number]) => `${what}: ${number} left`),
  ];
}

function wrongBills({ bills }: History): Broken {
  return bills
    .filter(
      ({ billedMs, heardMs, upMs }) =>
        billedMs > upMs + onTheWayMs || billedMs < heardMs - billedShortMs - onTheWayMs,
    )
    .map(
      ({ leg, billedMs, heardMs, upMs }) =>
        `leg ${leg} is billed ${billedMs} ms, was up for ${upMs} ms, and had audio for ${heardMs} ms`,
    );
}

function unreachable({ attempts }: History): Broken {
  return attempts
    .filter(({ rangAfterMs = Infinity }) => rangAfterMs > callableWithinMs)
    .map(({ phone, rangAfterMs }) => `${phone} rang after ${rangAfterMs ?? 'an endless number of'} ms`);
}
