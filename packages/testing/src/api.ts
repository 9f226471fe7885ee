import type { Duration } from './duration.ts';
import type { FaultName } from './fault-names.ts';

/*
 * The public types. They stand in a file of their own and import none of the platform, so that the declarations of the package need no other
 * package.
 */

/** A platform, its phones, and the program under test. */
export interface World extends AsyncDisposable {
  /** The credentials of the account. */
  readonly account: { readonly authId: string; readonly authToken: string };
  /** Every request of the platform to the program so far. */
  readonly requests: readonly ProgramRequest[];
  /** Milliseconds since 1970, in the time of the world. */
  now(): number;
  /** The phone with this number of the public network, in E.164: the same one each time. */
  phone(number: string): Phone;
  /** The phone of a SIP endpoint of the account, which the first use creates and registers. */
  endpoint(name: string): Phone;
  /** The application whose document is at this path of the program. */
  app(path: string, paths?: AppPaths): Promise<App>;
  /** The URL of a path of the program, for documents and requests to the API. */
  url(path: string): string;
  /** A request to the HTTP interface; `path` is below the account, such as `Call/`. */
  api(method: ApiMethod, path: string, body?: object): Promise<ApiAnswer>;
  /** The URL of the HTTP interface, opened on this machine, for programs that send requests of their own. */
  listen(): Promise<string>;
  /** Lets time pass. */
  wait(duration: Duration): Promise<void>;
  /** Lets time pass until the condition holds; `what` is for the message. */
  until(what: string, condition: () => boolean, within?: Within): Promise<void>;
  /** Waits for a request to this path of the program; a request that has come already counts. */
  requested(path: string, within?: Within): Promise<ProgramRequest>;
  /** Makes something go wrong for some time, or until `end()` of the returned fault. */
  fault(name: FaultName, options?: FaultOptions): Fault;
  /** Hangs up every phone, and frees everything. Throws what the program threw first, if it threw. */
  close(): Promise<void>;
}

/** A phone of a test. All waits are in the time of the world. */
export interface Phone {
  /** The number or the name that the test gave it. */
  readonly name: string;
  /** What calls it: a number, or a SIP URI. The phone is `ready` before. */
  readonly to: string;
  /** Everything that the latest call has heard, each utterance a line. */
  readonly transcript: string;
  /** Keys that the latest call has heard, such as those of a document's DTMF. */
  readonly keysHeard: string;
  readonly isInCall: boolean;
  /** Switches it on: other parties can call it from then on. A phone that only calls need not be ready. */
  ready(): Promise<this>;
  /** What it does with calls from now on. */
  behaves(answer: PhoneAnswer): this;
  /** Calls an application, a path of the program, a number or a user, and waits for the answer. */
  dial(callee: App | string, within?: Within): Promise<void>;
  /** Waits until it is in a call. */
  answered(within?: Within): Promise<void>;
  /** Waits until a call to it rings. */
  rings(within?: Within): Promise<void>;
  /**
   * Waits until the phone hears this behind what earlier expectations matched: a text in any case, or a pattern. Waits for a call as well.
   * A pattern that reaches to the end of what was said waits for a pause of 200 ms: `\d+` gives the whole number. Gives the match.
   */
  hears(what: string | RegExp, within?: Within): Promise<RegExpExecArray>;
  /** Waits until it has heard these keys. */
  hearsKeys(keys: string, within?: Within): Promise<void>;
  /** Says a text, which other phones of the world can hear; resolves when it has been said. */
  says(text: string): Promise<void>;
  /** Sends sound, mono at 8 kHz; resolves when it has been sent. */
  plays(samples: Int16Array): Promise<void>;
  /** Presses keys, one after another; resolves when they have been sent. */
  press(keys: string): Promise<void>;
  /** Hangs up; resolves when the call is over on both sides. */
  hangUp(): Promise<void>;
  /** Waits until the latest call is over. */
  ended(within?: Within): Promise<CallEnd>;
  /** Waits for a text message behind those that earlier expectations matched, and gives it with the match. */
  receivesText(what: string | RegExp, within?: Within): Promise<ReceivedText>;
}

/** What a phone does with a call. */
export type PhoneAnswer =
  | 'answers'
  | 'busy'
  /** It rings until its caller gives up. */
  | 'rings'
  /** Nothing answers. */
  | 'off'
  | { readonly answersAfter: Duration }
  /** The status of SIP, 400–699. */
  | { readonly rejects: number };

export interface Within {
  /** The limit, in the time of the world; 60 s when absent. */
  readonly within?: Duration;
}

/** How a call ended. */
export interface CallEnd {
  /** `local` is the phone itself, `remote-bye` the other side; `rejected` has a status. */
  readonly by: string;
  /** The final status of a call that was not answered. */
  readonly status: number | undefined;
  /** From the answer on; 0 without one. */
  readonly afterMs: number;
}

/** An application of the platform, whose documents come from the program. */
export interface App {
  readonly id: string;
  /** Calls to this number run it. */
  readonly number: string;
}

/** Where an application sends what: paths of the program. */
export interface AppPaths {
  /** Gets the event when a call is over. */
  readonly hangup?: string;
  /** The document when the first path fails. */
  readonly fallback?: string;
}

/** A text message that reached a number. */
export interface TextMessage {
  readonly from: string | null;
  readonly to: string;
  readonly text: string;
}

export interface ReceivedText extends TextMessage {
  readonly match: RegExpExecArray;
}

export type ApiMethod = 'GET' | 'POST' | 'DELETE';

/** An answer of the HTTP interface of the platform. */
export interface ApiAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: any JSON, on which a test asserts
  readonly body: any;
}

export interface FaultOptions {
  /** The fault ends by itself after this time of the world. */
  readonly for?: Duration;
  /** Of `receiver-slow` and `sms-late`: how late. 10 s when absent. */
  readonly by?: Duration;
  /** Of `packet-loss`: the part of the packets that is lost, from 0 to 1. 0.05 when absent. */
  readonly rate?: number;
}

/** A fault that goes on. */
export interface Fault {
  readonly name: FaultName;
  end(): void;
}

/** A request of the platform to the customer's program: for a document, with an event, or for a sound. */
export interface ProgramRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** `/menu` of `https://program.test/menu?step=2`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The fields of the form, or of the query. */
  readonly fields: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** A document with status 200, or another answer; undefined is 404. */
export type ProgramAnswer =
  | string
  | undefined
  | { readonly status: number; readonly body?: string | Uint8Array; readonly contentType?: string };

/** The program under test as a function. */
export type Program = (request: ProgramRequest) => ProgramAnswer | Promise<ProgramAnswer>;
