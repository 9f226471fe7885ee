/** A sign-in by a code: what the program of a customer sends to the API of the platform. */
export class SignIn {
  readonly #api: string;
  readonly #authorization: string;

  constructor(url: string, { authId, authToken }: { readonly authId: string; readonly authToken: string }) {
    this.#api = `${url}/v1/Account/${authId}`;
    this.#authorization = `Basic ${btoa(`${authId}:${authToken}`)}`;
  }

  /** Sends a code to this number; gives the session that checks it. */
  async begin(recipient: string): Promise<string> {
    const { session_uuid: session } = await this.#post('Verify/Session/', { recipient });
    return String(session);
  }

  /** Whether this is the code. */
  async finish(session: string, otp: string): Promise<boolean> {
    const answer = await this.#send(`Verify/Session/${session}/`, { otp });
    return answer.ok;
  }

  async #post(path: string, body: object): Promise<Record<string, unknown>> {
    const answer = await this.#send(path, body);
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  }

  #send(path: string, body: object): Promise<Response> {
    return fetch(`${this.#api}/${path}`, {
      method: 'POST',
      headers: { authorization: this.#authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }
}
