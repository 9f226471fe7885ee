import type { Clock } from '@jackfield/ports';
import type { PhoneCall, SimulatedPhone } from '@jackfield/testkit/phones';
import type { ApiAnswer, ApiMethod, App, TextMessage } from './api.ts';

/** A phone with what calls it and what it calls. */
export interface Line {
  readonly phone: SimulatedPhone;
  /** What a call to it names: a number, or a SIP URI. */
  readonly to: string;
  /** Calls reach it through a carrier. */
  readonly isCarried: boolean;
  /** Calls a number, a user or an application by its number. */
  dial(user: string): PhoneCall;
  /** Prepares calls to it. */
  reachable(): Promise<void>;
}

/** What differs between a world on a virtual clock and a real server. */
export interface Ground {
  readonly clock: Pick<Clock, 'now' | 'startTimer'>;
  readonly account: { readonly authId: string; readonly authToken: string };
  /** Where the paths of the program are, for the platform. */
  readonly programUrl: string;
  losePackets(rate: number): void;
  wait(ms: number): Promise<void>;
  /** Lets time pass until the condition holds; false when it does not within the limit. */
  until(condition: () => boolean, limitMs: number): Promise<boolean>;
  api(method: ApiMethod, path: string, body?: object): Promise<ApiAnswer>;
  /** Opens the HTTP interface of the platform for other programs, once, and gives its URL. */
  listen(): Promise<string>;
  openPhone(number: string): Promise<Line>;
  openEndpoint(name: string): Promise<Line>;
  openApp(fields: object): Promise<App>;
  /** Messages to this number so far, the oldest first. */
  messages(to: string): Promise<readonly TextMessage[]>;
  close(): Promise<void>;
}
