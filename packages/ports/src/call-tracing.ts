/** What a span says besides its name; no texts of customers and no numbers of people. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A part of a call that is over. */
export interface EndedPart {
  /** Until now. */
  readonly durationMs: number;
  readonly attributes?: SpanAttributes;
  /** Why it failed; absent where it succeeded. */
  readonly problem?: string;
}

/** Receives the course of calls for a system that traces requests. Returns at once; a call is a leg, by its UUID. */
export interface CallTracing {
  /** A call begins. `cause` is the call that led to it: both are in one trace. */
  begin(call: string, attributes: SpanAttributes, cause?: string): void;
  /** A part of a call begins; one of each name at a time. Ignored for a call that has not begun. */
  beginPart(call: string, name: string, attributes?: SpanAttributes): void;
  /** Ignored where no such part has begun. */
  endPart(call: string, name: string, attributes?: SpanAttributes, problem?: string): void;
  /** A part that was over when it became known, also shortly after the end of the call. */
  happened(call: string, name: string, part: EndedPart): void;
  /** A call ends, and each of its parts with it. */
  end(call: string, attributes: SpanAttributes, problem?: string): void;
  /** Sends what has not been sent, within a few seconds. */
  close(): Promise<void>;
}
