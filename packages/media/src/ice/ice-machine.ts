/** Where packets of the other side come from. A TCP source is one connection (RFC 6544). */
export interface IceSource {
  readonly transport: 'udp' | 'tcp';
  readonly address: string;
  readonly port: number;
}

/** A source whose check was signed with our password. */
export interface CheckedSource extends IceSource {
  readonly checkedMs: number;
}

/** The lite agent of one leg (RFC 8445 §2.5): it answers checks, sends none, and is always controlled. */
export interface IceState {
  /**
   * Our user name fragments, the present one first. After a restart the one before is valid until the first check under the new one,
   * because the other side goes on with it until it has our answer (RFC 8445 §9).
   */
  readonly fragments: readonly string[];
  /** The source with the newest check first. */
  readonly sources: readonly CheckedSource[];
  /** The source to which packets go; undefined before the first check and after the last source has expired. */
  readonly target: IceSource | undefined;
  readonly isNominated: boolean;
}

/** Inputs of an agent. Checks are already authenticated. */
export type IceInput =
  | {
      readonly type: 'check-received';
      readonly source: IceSource;
      readonly transaction: string;
      /** Our fragment whose password signed the check. */
      readonly fragment: string;
      readonly nominates: boolean;
      readonly role: 'controlling' | 'controlled' | undefined;
      readonly unknown: readonly number[];
    }
  | { readonly type: 'restarted'; readonly fragment: string }
  | { readonly type: 'connection-lost'; readonly source: IceSource }
  | { readonly type: 'timer-fired' };

/** Effects of an agent. */
export type IceEffect =
  | {
      readonly do: 'answer';
      readonly source: IceSource;
      readonly transaction: string;
      readonly fragment: string;
      /** 200, 420 or 487. */
      readonly code: number;
      readonly unknown: readonly number[];
    }
  /** Packets of the source belong to the leg from now on, or no longer (`forget`). */
  | { readonly do: 'admit'; readonly source: IceSource }
  | { readonly do: 'forget'; readonly source: IceSource }
  | { readonly do: 'send-to'; readonly target: IceSource | undefined }
  | { readonly do: 'forget-fragment'; readonly fragment: string }
  | { readonly do: 'start-timer'; readonly dueMs: number };

/** RFC 7675 §5.1: consent expires after this long without a check. */
export const consentMs = 30_000;

/** A browser has a source for each of its networks and transports; more are refused, because each one costs memory. */
const mostSources = 8;

/** An agent before its first check. */
export function createIce(fragment: string): IceState {
  return { fragments: [fragment], sources: [], target: undefined, isNominated: false };
}

/** One input of an agent; `nowMs` never decreases. */
export function stepIce(
  state: IceState,
  input: IceInput,
  nowMs: number,
): { readonly state: IceState; readonly effects: readonly IceEffect[] } {
  switch (input.type) {
    case 'check-received':
      return check(state, input, nowMs);
    case 'restarted':
      return restart(state, input.fragment);
    case 'connection-lost':
      return without(state, (source) => isSameSource(source, input.source));
    case 'timer-fired': {
      const due = without(state, ({ checkedMs }) => nowMs - checkedMs >= consentMs);
      const oldest = due.state.sources.at(-1);
      if (oldest === undefined) return due;
      return {
        ...due,
        effects: [...due.effects, { do: 'start-timer', dueMs: oldest.checkedMs + consentMs }],
      };
    }
  }
}

/** Whether two sources are the same. */
export function isSameSource(one: IceSource, other: IceSource): boolean {
  return one.port === other.port && one.address === other.address && one.transport === other.transport;
}

type Check = Extract<IceInput, { readonly type: 'check-received' }>;

function check(state: IceState, input: Check, nowMs: number) {
  const { source, transaction, fragment, nominates } = input;
  const answer = (code: number, unknown: readonly number[] = []): IceEffect => ({
    do: 'answer',
    source,
    transaction,
    fragment,
    code,
    unknown,
  });
  if (!state.fragments.includes(fragment)) return { state, effects: [] };
  if (input.unknown.length > 0) return { state, effects: [answer(420, input.unknown)] };
  // RFC 8445 §7.3.1.1: the full agent is controlling. The refusal makes it change its role.
  if (input.role === 'controlled') return { state, effects: [answer(487)] };
  const known = state.sources.find((each) => isSameSource(each, source));
  if (known === undefined && state.sources.length >= mostSources) return { state, effects: [] };

  const effects: IceEffect[] = [];
  if (known === undefined) effects.push({ do: 'admit', source });
  if (state.sources.length === 0) effects.push({ do: 'start-timer', dueMs: nowMs + consentMs });
  effects.push(answer(200));
  const checked: CheckedSource = {
    transport: source.transport,
    address: source.address,
    port: source.port,
    checkedMs: nowMs,
  };
  const sources = [checked, ...state.sources.filter((each) => each !== known)];
  const isPresent = fragment === state.fragments[0];
  if (isPresent)
    for (const past of state.fragments.slice(1)) effects.push({ do: 'forget-fragment', fragment: past });
  // The last nomination counts: browsers nominate the path that they have chosen. Before the first one any checked path is better than none.
  const isNominated = state.isNominated || nominates;
  const moves = nominates || (!state.isNominated && state.target === undefined);
  const target = moves ? source : state.target;
  if (moves && !(state.target !== undefined && isSameSource(state.target, source))) {
    effects.push({ do: 'send-to', target: source });
  }
  return {
    state: { fragments: isPresent ? [fragment] : state.fragments, sources, target, isNominated },
    effects,
  };
}

/** RFC 8445 §9: new credentials. Packets go on over the old path until the other side nominates a new one. */
function restart(state: IceState, fragment: string) {
  const [present] = state.fragments;
  if (present === fragment) return { state, effects: [] };
  const effects: IceEffect[] = state.fragments
    .slice(1)
    .map((past) => ({ do: 'forget-fragment', fragment: past }));
  return { state: { ...state, fragments: [fragment, present!] }, effects };
}

function without(state: IceState, isGone: (source: CheckedSource) => boolean) {
  const gone = state.sources.filter(isGone);
  if (gone.length === 0) return { state, effects: [] };
  const sources = state.sources.filter((source) => !gone.includes(source));
  const effects: IceEffect[] = gone.map((source) => ({ do: 'forget', source }));
  const { target } = state;
  if (target === undefined || sources.some((source) => isSameSource(source, target))) {
    return { state: { ...state, sources }, effects };
  }
  // The path that was checked last, until the other side nominates one; none means silence (RFC 7675 §5.1).
  effects.push({ do: 'send-to', target: sources[0] });
  return { state: { ...state, sources, target: sources[0], isNominated: false }, effects };
}
