/** How a phone of a page registers. */
export interface PhoneAccount {
  /** Of the SIP WebSocket. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly domain: string;
}
