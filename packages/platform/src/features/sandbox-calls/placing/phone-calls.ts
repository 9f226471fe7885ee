import type { Clock, ExpectedCall, Instant, Logger, Secrets } from '@jackfield/ports';
import type { RequestAccount } from '../../../http/index.ts';
import { tooManyRequests } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';
import type { CallingNotice, CallingPhones, PhoneOrder } from '../../sandbox-phones/index.ts';
import { type CalleeDeps, findCallee } from './callees.ts';
import type { HeardRecordings } from './heard-recordings.ts';
import { createKeptCalls, type KeptCallLimits, type KeptCalls } from './kept-calls.ts';
import { conductOf, expectedCallOf, orderedCall } from './ordered-call.ts';
import type { SandboxCall, SandboxCallOrder } from './sandbox-call.ts';

export interface SandboxCallLimits extends KeptCallLimits {
  /** Concurrent calls of sandbox phones, in the whole process. */
  readonly live: number;
}

/** 256 MiB are about 4.5 hours of one channel at 8 kHz. */
const sandboxCallLimits: SandboxCallLimits = { live: 50, kept: 200, recordedBytes: 256 * 1024 ** 2 };

/** The phones of the sandbox; they know the address of the platform. */
export interface SandboxNetwork {
  call(order: Omit<PhoneOrder, 'uri'>): Promise<void>;
  hangUp: CallingPhones['hangUp'];
  /** The one listener to the notices of those calls. */
  listen(listener: (notice: CallingNotice) => void): void;
}

export interface PhoneCallsDeps extends CalleeDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly secrets: Pick<Secrets, 'randomUuid'>;
  readonly network: SandboxNetwork;
  readonly recordings: HeardRecordings;
  readonly limits?: Partial<SandboxCallLimits>;
}

/** The calls of the sandbox's phones, from their order to their removal. */
export class PhoneCalls {
  readonly #deps: PhoneCallsDeps;
  readonly #limits: SandboxCallLimits;
  readonly #calls: KeptCalls;
  readonly #expected = new Map<string, ExpectedCall>();
  #isClosed = false;

  constructor(deps: PhoneCallsDeps) {
    this.#deps = deps;
    this.#limits = { ...sandboxCallLimits, ...deps.limits };
    this.#calls = createKeptCalls(deps.clock, deps.recordings, this.#limits);
  }

  /** Newest first. */
  seenBy(viewer: RequestAccount): readonly SandboxCall[] {
    return this.#calls.seenBy(viewer);
  }

  async start(viewer: RequestAccount, order: SandboxCallOrder): Promise<Result<SandboxCall>> {
    const { clock, log, network, recordings, secrets } = this.#deps;
    const callee = await findCallee(this.#deps, viewer, order.to);
    if (!callee.ok) return callee;
    const { live } = this.#limits;
    if (this.#isClosed || this.#calls.live().length >= live) {
      const sentence = `at most ${live} sandbox phones may call at the same time`;
      return refused(tooManyRequests(sentence, 5));
    }
    const call = orderedCall(order, viewer, clock.now(), secrets);
    this.#calls.add(call);
    if (order.record) await recordings.prepare(call);
    this.#expected.set(call.uuid, expectedCallOf(call, callee.value));
    const { user: to } = callee.value;
    network
      .call({ leg: call.uuid, conduct: conductOf(order), from: order.from, to })
      .catch((err: unknown) => {
        log.error({ call: call.uuid, err }, 'sandbox phone could not call');
        this.#over(call);
      });
    return accepted(call);
  }

  noticed(notice: CallingNotice): void {
    const { clock, recordings } = this.#deps;
    const call = this.#calls.find(notice.leg);
    if (call === undefined || call.state === 'ended') return;
    if (notice.type === 'leg-answered') recordings.resume(call);
    if (notice.type === 'leg-ended') call.end = notice.end;
    follow(call, notice, clock.now());
    if (notice.type === 'leg-ended') this.#over(call);
  }

  /** The call that was ordered from the phone with this leg; undefined at the second request. */
  expected(phoneLeg: string): ExpectedCall | undefined {
    const call = this.#expected.get(phoneLeg);
    this.#expected.delete(phoneLeg);
    return call;
  }

  /** Ends and removes the calls of a deleted account. */
  drop(account: string): void {
    for (const call of this.#calls.of(account)) {
      this.#deps.network.hangUp(call.uuid);
      this.#over(call);
      // After the transaction that removes the account: removing a file writes as well.
      this.#calls.drop(call);
    }
  }

  passOn(account: string, main: string): void {
    for (const call of this.#calls.of(account)) call.account = main;
  }

  census(): { readonly calls: number; readonly endings: number } {
    return { calls: this.#calls.live().length, endings: this.#calls.endings };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const call of this.#calls.live()) {
      this.#deps.network.hangUp(call.uuid);
      this.#over(call);
    }
    await this.#calls.clear();
  }

  #over(call: SandboxCall): void {
    this.#expected.delete(call.uuid);
    this.#calls.end(call);
  }
}

function follow(call: SandboxCall, { type }: CallingNotice, now: Instant): void {
  switch (type) {
    case 'leg-ringing':
    case 'leg-early':
      if (call.state === 'calling') call.state = 'ringing';
      return;
    case 'leg-answered':
      call.state = 'answered';
      call.answeredAt = now;
  }
}
