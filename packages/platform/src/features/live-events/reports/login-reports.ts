import type { Clock, Database, FailedLogin, FailedLogins, Logger } from '@jackfield/ports';
import { createAppendAlone } from '../../../kernel/append-alone.ts';
import type { Outbox } from '../../../kernel/outbox.ts';
import { createRareCounts } from '../../../kernel/rare-counts.ts';

export interface LoginReportsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly outbox: Pick<Outbox, 'appendEvents' | 'wake'>;
  /** The operator's account, which is the first; undefined before it is known. */
  readonly account: () => string | undefined;
  /** The realm of endpoints. */
  readonly realm: string;
  /** Some usernames of endpoints with this beginning, an equal one included. */
  readonly usernamesLike: (beginning: string) => Promise<readonly string[]>;
  /** Time between two reports of one source and user, 60,000. */
  readonly everyMs?: number;
  /** Reports within that time, 20. */
  readonly most?: number;
}

/**
 * Reports refused credentials, and how to correct them, to the operator's account and to the log. For the sandbox only: elsewhere an
 * attacker could fill the log.
 */
export function createLoginReports(deps: LoginReportsDeps): FailedLogins {
  const { log, most = 20, ...limits } = deps;
  const appendAlone = createAppendAlone(deps);
  const countOfLogin = createRareCounts(limits);
  const countOfAll = createRareCounts({ ...limits, most });

  function isDue({ source, username }: FailedLogin): boolean {
    const login = countOfLogin(`${source} ${username}`);
    const all = login && countOfAll('failed login');
    login?.made();
    all?.made();
    return all !== undefined;
  }

  async function report({ source, username, realm }: FailedLogin, account: string): Promise<void> {
    const usernames = username === undefined ? [] : await deps.usernamesLike(username);
    const explained = explain({ username, realm }, deps.realm, usernames);
    log.warn({ source, username, ...explained.fields }, explained.sentence);
    const payload = { source_address: source, username: username ?? null, explanation: explained.sentence };
    appendAlone({
      type: 'endpoint.login-failed',
      account,
      mainAccount: account,
      resource: `source/${source}`,
      payload: { ...payload, ...explained.fields },
    });
  }

  return {
    failed(login) {
      const account = deps.account();
      if (account === undefined || !isDue(login)) return;
      report(login, account).catch((error: unknown) =>
        log.error({ err: error }, 'failed login not explained'),
      );
    },
  };
}

/** A sentence that says what was wrong and how to correct it. */
export function explain(
  { username, realm }: Pick<FailedLogin, 'username' | 'realm'>,
  ours: string,
  usernames: readonly string[],
): {
  readonly sentence: string;
  readonly fields: { readonly reason: string; readonly usernames: readonly string[] };
} {
  const fields = (reason: string, names: readonly string[] = []) => ({ reason, usernames: names });
  if (username === undefined) {
    return { sentence: 'SIP credentials could not be read.', fields: fields('unreadable') };
  }
  if (realm !== ours) {
    const sentence = `SIP user "${username}" was refused: its credentials are for the realm "${realm}", it must be "${ours}".`;
    return { sentence, fields: fields('wrong-realm') };
  }
  if (usernames.includes(username)) {
    return {
      sentence: `SIP user "${username}" was refused: the username is right, the password is wrong.`,
      fields: fields('wrong-password', [username]),
    };
  }
  const suggested =
    usernames.length === 0
      ? 'GET Endpoint/ lists the usernames that exist.'
      : `Did you mean ${usernames.map((each) => `"${each}"`).join(' or ')}? The service appends twelve digits to a username.`;
  return {
    sentence: `SIP user "${username}" was refused: no endpoint has this username. ${suggested}`,
    fields: fields('unknown-user', usernames),
  };
}
