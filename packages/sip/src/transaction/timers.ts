/** Base durations of RFC 3261 §17 in milliseconds; every timer A–M is a multiple of one of them. */
export interface TimerDurations {
  /** Round-trip estimate (§17.1.1.1). */
  readonly t1: number;
  /** Longest interval between retransmissions of a non-INVITE request or an INVITE response (§17.1.2.2). */
  readonly t2: number;
  /** Longest time that a message stays in the network (§17.1.2.2). */
  readonly t4: number;
}

/** The defaults of RFC 3261, table 4. */
export const RFC3261_TIMERS: TimerDurations = { t1: 500, t2: 4000, t4: 5000 };

/** Timer D is at least 32 s on unreliable transports, whatever T1 is (RFC 3261 §17.1.1.2). */
export const TIMER_D_MS = 32_000;

/** Without a response of the TU in this time the transaction sends 100 (Trying) (RFC 3261 §17.2.1). */
export const TRYING_AFTER_MS = 200;

/** Transport and timers of a transaction. */
export interface TransactionSetting {
  /** TCP, TLS, WebSocket: no retransmission, and no wait for duplicates. */
  readonly reliable: boolean;
  readonly timers: TimerDurations;
}
