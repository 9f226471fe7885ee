import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Clock, Logger, Step } from '@jackfield/ports';
import smpp, { type Pdu, type Session } from 'smpp';
import {
  openedLink,
  type SmppLinkEffect,
  type SmppLinkInput,
  type SmppLinkState,
  type SmppLinkTimes,
  stepSmppLink,
} from './smpp-link-machine.ts';
import { type Answered, SmppRequests } from './smpp-requests.ts';

export interface SmppLinkOptions {
  readonly host: string;
  readonly port: number;
  /** TLS options; `{}` verifies against the authorities that Node trusts. Plain TCP when absent. */
  readonly tls?: Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'servername'>;
  readonly systemId: string;
  readonly password: string;
  readonly systemType?: string;
  /** Interval of enquire_link on a silent connection. */
  readonly enquireLinkMs?: number;
  /** Without a response within this time the connection counts as dead. */
  readonly responseMs?: number;
  /** The pause before a reconnect doubles from the first value to the second. */
  readonly reconnectMs?: readonly [number, number];
}

export interface LinkListener {
  bound(): void;
  /** Requests that were sent and not answered have an unknown result. */
  lost(): void;
  delivered(pdu: Pdu): void;
}

export interface SmppLink {
  readonly isBound: boolean;
  /** Submits a message; `answered` gets undefined when the connection was lost before the response. */
  submit(parameters: object, answered: (pdu: Pdu | undefined) => void): void;
  close(): void;
}

/** One connection that is bound again after each loss: TCP or TLS, bind_transceiver, enquire_link, reconnect. */
export function createSmppLink(
  options: SmppLinkOptions,
  clock: Clock,
  log: Logger,
  listener: LinkListener,
): SmppLink {
  const link = new RunningLink(options, clock, log, listener);
  link.open();
  return link;
}

/** Runs the machine of a link over sessions of the library. */
class RunningLink implements SmppLink {
  readonly #options: SmppLinkOptions;
  readonly #times: SmppLinkTimes;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #listener: LinkListener;
  readonly #requests: SmppRequests;
  #state!: SmppLinkState;
  #session: Session | undefined;
  #cancelTimer = () => {};

  constructor(options: SmppLinkOptions, clock: Clock, log: Logger, listener: LinkListener) {
    const { enquireLinkMs = 30_000, responseMs = 10_000, reconnectMs = [500, 30_000] } = options;
    this.#options = options;
    this.#times = { enquireLinkMs, responseMs, reconnectMs };
    this.#clock = clock;
    this.#log = log;
    this.#listener = listener;
    this.#requests = new SmppRequests(clock, responseMs);
  }

  open(): void {
    this.#carryOut(openedLink(this.#times, this.#clock.now()));
  }

  get isBound(): boolean {
    return this.#state.phase === 'bound';
  }

  submit(parameters: object, answered: Answered): void {
    const on = this.#session;
    if (on === undefined || !this.isBound) answered(undefined);
    else this.#ask(on, (settle) => on.submit_sm(parameters, settle), answered);
  }

  close(): void {
    this.#feed({ type: 'close' });
  }

  #feed(input: SmppLinkInput): void {
    this.#carryOut(stepSmppLink(this.#state, input, this.#times, this.#clock.now()));
  }

  /** An input of a session; one of an earlier session is dropped. */
  #acceptFrom(session: Session, input: SmppLinkInput): void {
    if (this.#session === session) this.#feed(input);
  }

  #carryOut({ state, effects }: Step<SmppLinkState, SmppLinkEffect>): void {
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: SmppLinkEffect): void {
    const { host, port } = this.#options;
    switch (effect.do) {
      case 'connect':
        this.#connect();
        return;
      case 'bind':
        this.#bind(this.#session!);
        return;
      case 'enquire':
        this.#enquire(this.#session!);
        return;
      case 'unbind':
        this.#session?.unbind();
        return;
      case 'disconnect': {
        const session = this.#session;
        this.#session = undefined;
        session?.destroy();
        return;
      }
      case 'start-timer':
        this.#cancelTimer();
        this.#cancelTimer = this.#clock.startTimer(effect.at, () => this.#feed({ type: 'timer-fired' }));
        return;
      case 'cancel-timer':
        this.#cancelTimer();
        return;
      case 'report-refusal':
        this.#log.error({ host, port, status: effect.status }, 'SMSC refused the bind');
        return;
      case 'report-bound':
        this.#log.info({ host, port }, 'bound to SMSC');
        this.#listener.bound();
        return;
      case 'report-lost':
        this.#listener.lost();
        this.#requests.fail();
        return;
    }
  }

  #connect(): void {
    const { host, port, tls } = this.#options;
    // TLS allows no IP addresses as server names.
    const named = isIP(host) === 0 ? { servername: host } : {};
    const session = smpp.connect({
      host,
      port,
      ...(tls === undefined ? {} : { tls: true, ...named, ...tls }),
    });
    this.#session = session;
    const answer = (pdu: Pdu) => void session.send(pdu.response());
    session.on(tls === undefined ? 'connect' : 'secureConnect', () =>
      this.#acceptFrom(session, { type: 'connected' }),
    );
    session.on('close', () => this.#acceptFrom(session, { type: 'lost' }));
    session.on('error', (err: Error) => {
      this.#log.warn({ host, port, err: err.message }, 'SMSC connection broken');
      this.#acceptFrom(session, { type: 'lost' });
    });
    session.on('deliver_sm', (pdu: Pdu) => {
      this.#listener.delivered(pdu);
      answer(pdu);
    });
    session.on('enquire_link', answer);
    session.on('unknown', answer);
    session.on('unbind', (pdu: Pdu) => {
      answer(pdu);
      session.close();
    });
  }

  #bind(session: Session): void {
    const { systemId, password, systemType = '' } = this.#options;
    // SMPP 3.4 §5.2.4.
    const parameters = { system_id: systemId, password, system_type: systemType, interface_version: 0x34 };
    this.#ask(
      session,
      (answered) => session.bind_transceiver(parameters, answered),
      (pdu) => {
        if (pdu !== undefined)
          this.#acceptFrom(session, { type: 'bind-answered', status: pdu.command_status });
      },
    );
  }

  #enquire(session: Session): void {
    this.#ask(
      session,
      (answered) => session.enquire_link(answered),
      (pdu) => {
        if (pdu !== undefined) this.#acceptFrom(session, { type: 'enquiry-answered' });
      },
    );
  }

  /** Answers with undefined when the connection is lost or too slow, which ends it. */
  #ask(session: Session, send: (answered: (pdu: Pdu) => void) => boolean, answered: Answered): void {
    const isSent = this.#requests.ask(send, answered, () => {
      const { host, port } = this.#options;
      this.#log.warn({ host, port }, 'SMSC does not respond; connection closed');
      session.destroy();
      this.#acceptFrom(session, { type: 'lost' });
    });
    if (!isSent) this.#acceptFrom(session, { type: 'lost' });
  }
}
