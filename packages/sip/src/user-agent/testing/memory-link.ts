import type { Flow } from '../../message/flow.ts';
import type { CallListener, IncomingInvite } from '../call-listener.ts';
import type { WheelClock } from '../timer-wheel.ts';
import { createUserAgent } from '../user-agent.ts';
import type { IncomingRequest, UserAgent, UserAgentDeps } from '../user-agent-options.ts';

/** Repeatable random numbers in [0, 1) (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** A clock that stands still until it is moved; timers fire in order of time, then of start. */
export interface VirtualClock extends WheelClock {
  /** Moves to `at`, firing what falls due on the way. */
  advanceTo(at: number): void;
  advance(ms: number): void;
  /** Timers that are running. */
  pending(): number;
}

/** A clock that starts at `start`. */
export function createVirtualClock(start = 1_000_000): VirtualClock {
  let now = start;
  let order = 0;
  let timers: { at: number; order: number; fire: () => void }[] = [];
  const clock: VirtualClock = {
    now: () => now,
    startTimer(at, fire) {
      const timer = { at: Math.max(at, now), order: order++, fire };
      const before = timers.findIndex((other) => other.at > timer.at);
      timers.splice(before < 0 ? timers.length : before, 0, timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advanceTo(at) {
      for (let next = timers[0]; next !== undefined && next.at <= at; next = timers[0]) {
        timers.shift();
        now = next.at;
        next.fire();
      }
      now = at;
    },
    advance: (ms) => clock.advanceTo(now + ms),
    pending: () => timers.length,
  };
  return clock;
}

/** How badly the link treats messages; shares are probabilities from 0 to 1. */
export interface LinkOptions {
  readonly loss?: number;
  readonly duplicates?: number;
  /** Every message takes `delayMs` plus up to `jitterMs`, so a large jitter reorders. */
  readonly delayMs?: number;
  readonly jitterMs?: number;
  readonly seed?: number;
  readonly protocol?: 'udp' | 'tcp';
  /** Changes a message in transit, as a proxy does. */
  readonly rewrite?: (text: string) => string;
  /** The clock of another link, so that both share one time. */
  readonly clock?: VirtualClock;
  /** Dependencies of Alice only. */
  readonly alice?: Partial<UserAgentDeps>;
}

/** One end of the link: a user agent that records the messages that reach it. */
export interface LinkEnd {
  readonly ua: UserAgent;
  readonly requests: IncomingRequest[];
  readonly invites: IncomingInvite[];
  /** First lines of the messages that this end sent, in order. */
  readonly sent: string[];
  /** Texts of the messages that this end sent, in order. */
  readonly texts: string[];
  /** Called for each incoming INVITE and request. */
  onInvite: (invite: IncomingInvite) => void;
  onRequest: (request: IncomingRequest) => void;
  /** A message of this end for which this returns true is lost. */
  drop: (text: string) => boolean;
}

/** Two user agents, `alice` at 10.0.0.1 and `bob` at 10.0.0.2, joined in memory. */
export interface MemoryLink {
  readonly clock: VirtualClock;
  readonly alice: LinkEnd;
  readonly bob: LinkEnd;
  /** Messages in transit. */
  inFlight(): number;
  /** Delivers a text to an end as if the other had sent it. */
  inject(to: 'alice' | 'bob', text: string): void;
}

/** Joins two user agents in memory. */
export function createMemoryLink(
  options: LinkOptions = {},
  overrides: Partial<UserAgentDeps> = {},
): MemoryLink {
  const {
    loss = 0,
    duplicates = 0,
    delayMs = 5,
    jitterMs = 0,
    seed = 1,
    protocol = 'udp',
    rewrite = same,
  } = options;
  const clock = options.clock ?? createVirtualClock();
  const random = seededRandom(seed);
  let inFlight = 0;
  let tokens = 0;

  function end(
    host: string,
    peer: string,
    deliver: (text: string) => void,
    own: Partial<UserAgentDeps> = {},
  ): LinkEnd {
    const flow = flowBetween(host, peer, protocol);
    const state: { -readonly [Key in keyof LinkEnd]: LinkEnd[Key] } = {
      ua: undefined as unknown as UserAgent,
      requests: [],
      invites: [],
      sent: [],
      texts: [],
      onInvite: () => {},
      onRequest: () => {},
      drop: () => false,
    };
    const deps: UserAgentDeps = {
      clock,
      send(_target, text) {
        state.sent.push(text.slice(0, text.indexOf('\r\n')));
        state.texts.push(text);
        if (state.drop(text) || random() < loss) return;
        for (let copies = random() < duplicates ? 2 : 1; copies > 0; copies -= 1) {
          inFlight += 1;
          clock.startTimer(clock.now() + delayMs + random() * jitterMs, () => {
            inFlight -= 1;
            deliver(rewrite(text));
          });
        }
      },
      flow: (id) => (id === flow.id ? flow : undefined),
      address: () => ({ host, port: 5060 }),
      token: () => `t${seed}x${tokens++}${Math.floor(random() * 1e9).toString(36)}`,
      ...overrides,
      ...own,
      on: {
        request(incoming) {
          state.requests.push(incoming);
          state.onRequest(incoming);
        },
        invite(invite) {
          state.invites.push(invite);
          state.onInvite(invite);
        },
        ...overrides.on,
      },
    };
    state.ua = createUserAgent(deps);
    return state;
  }

  const alice: LinkEnd = end('10.0.0.1', '10.0.0.2', (text) => bob.ua.receive(text, toBob), options.alice);
  const bob: LinkEnd = end('10.0.0.2', '10.0.0.1', (text) => alice.ua.receive(text, toAlice));
  const toAlice = flowBetween('10.0.0.1', '10.0.0.2', protocol);
  const toBob = flowBetween('10.0.0.2', '10.0.0.1', protocol);
  return {
    clock,
    alice,
    bob,
    inFlight: () => inFlight,
    inject: (to, text) => (to === 'alice' ? alice.ua.receive(text, toAlice) : bob.ua.receive(text, toBob)),
  };
}

const same = (text: string): string => text;

function flowBetween(local: string, remote: string, protocol: 'udp' | 'tcp'): Flow {
  return {
    id: `${protocol}:${local}-${remote}`,
    protocol,
    reliable: protocol === 'tcp',
    localAddress: local,
    localPort: 5060,
    remoteAddress: remote,
    remotePort: 5060,
  };
}

/** A listener that logs its events, one line each. */
export function recordingListener(log: string[] = []): CallListener & { readonly log: string[] } {
  return {
    log,
    ringing: (response) => log.push(`ringing ${response.status}`),
    answered: (response) => log.push(`answered ${response.body}`),
    acknowledged: (body) => log.push(`acknowledged ${body}`.trim()),
    offered: (request) => log.push(`offered ${request.body}`),
    offerWithdrawn: () => log.push('offer-withdrawn'),
    offerAnswered: (response) => log.push(`offer-answered ${response.body}`),
    offerRefused: (status) => log.push(`offer-refused ${status}`),
    info: (request) => log.push(`info ${request.body}`),
    infoAnswered: (status) => log.push(`info-answered ${status}`),
    ended: (reason) => log.push(`ended ${reason.by}${reason.by === 'rejected' ? ` ${reason.status}` : ''}`),
  };
}
