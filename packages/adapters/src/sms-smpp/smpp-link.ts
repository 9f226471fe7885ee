import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Clock, Logger } from '@jackfield/ports';
import smpp, { type Pdu, type Session } from 'smpp';

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
  const { host, port, tls, systemId, password, systemType = '' } = options;
  const { enquireLinkMs = 30_000, responseMs = 10_000, reconnectMs = [500, 30_000] } = options;
  const waiting = new Set<(pdu: Pdu | undefined) => void>();
  let session: Session | undefined;
  let isBound = false;
  let isClosed = false;
  let pauseMs = reconnectMs[0];
  let cancelTimer = () => {};

  /** Settles with the response, or with undefined when the connection was lost or is too slow, which ends it. */
  function ask(
    on: Session,
    order: (answered: (pdu: Pdu) => void) => boolean,
    answered: (pdu: Pdu | undefined) => void,
  ): void {
    const settle = (pdu: Pdu | undefined) => {
      if (!waiting.delete(settle)) return;
      cancel();
      answered(pdu);
    };
    const cancel = clock.startTimer(clock.now() + responseMs, () => {
      log.warn({ host, port }, 'SMSC does not respond; connection closed');
      on.destroy();
      lost(on);
    });
    waiting.add(settle);
    if (!order(settle)) lost(on);
  }

  function lost(which: Session): void {
    if (session !== which) return;
    session = undefined;
    isBound = false;
    cancelTimer();
    which.destroy();
    listener.lost();
    for (const settle of [...waiting]) settle(undefined);
    if (isClosed) return;
    cancelTimer = clock.startTimer(clock.now() + pauseMs, open);
    pauseMs = Math.min(pauseMs * 2, reconnectMs[1]);
  }

  function open(): void {
    // TLS allows no IP addresses as server names.
    const named = isIP(host) === 0 ? { servername: host } : {};
    const opened = smpp.connect({
      host,
      port,
      ...(tls === undefined ? {} : { tls: true, ...named, ...tls }),
    });
    session = opened;
    // A peer that accepts the connection and stays silent must not hold it for ever.
    cancelTimer = clock.startTimer(clock.now() + responseMs, () => lost(opened));
    opened.on(tls === undefined ? 'connect' : 'secureConnect', () => bind(opened));
    opened.on('close', () => lost(opened));
    opened.on('error', (err: Error) => {
      log.warn({ host, port, err: err.message }, 'SMSC connection broken');
      lost(opened);
    });
    opened.on('deliver_sm', (pdu: Pdu) => {
      listener.delivered(pdu);
      opened.send(pdu.response());
    });
    opened.on('enquire_link', (pdu: Pdu) => void opened.send(pdu.response()));
    opened.on('unbind', (pdu: Pdu) => {
      opened.send(pdu.response());
      opened.close();
    });
    opened.on('unknown', (pdu: Pdu) => void opened.send(pdu.response()));
  }

  function bind(on: Session): void {
    if (session !== on) return;
    cancelTimer();
    // SMPP 3.4 §5.2.4.
    const parameters = { system_id: systemId, password, system_type: systemType, interface_version: 0x34 };
    ask(
      on,
      (answered) => on.bind_transceiver(parameters, answered),
      (pdu) => {
        if (session !== on || pdu === undefined) return;
        if (pdu.command_status !== 0) {
          log.error({ host, port, status: pdu.command_status }, 'SMSC refused the bind');
          lost(on);
          return;
        }
        isBound = true;
        pauseMs = reconnectMs[0];
        log.info({ host, port }, 'bound to SMSC');
        enquireLater(on);
        listener.bound();
      },
    );
  }

  function enquireLater(on: Session): void {
    cancelTimer = clock.startTimer(clock.now() + enquireLinkMs, () => {
      ask(
        on,
        (answered) => on.enquire_link(answered),
        (pdu) => {
          if (pdu !== undefined && session === on) enquireLater(on);
        },
      );
    });
  }

  open();
  return {
    get isBound() {
      return isBound;
    },
    submit(parameters, answered) {
      const on = session;
      if (on === undefined || !isBound) answered(undefined);
      else ask(on, (answer) => on.submit_sm(parameters, answer), answered);
    },
    close() {
      isClosed = true;
      cancelTimer();
      const on = session;
      if (on === undefined) return;
      if (isBound) on.unbind();
      lost(on);
    },
  };
}
