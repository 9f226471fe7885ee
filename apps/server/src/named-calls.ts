import type { Logger } from '@jackfield/ports';

/** A log whose lines name calls as the API does. */
export interface NamedCalls {
  readonly log: Logger;
  /** From now on lines about a live call have its account. */
  follow(accountOfCall: (call: string) => string | undefined): void;
}

/** Parts of the server call a leg `leg`; an operator looks for `call_uuid`, and for the account. */
export function nameCalls(log: Logger): NamedCalls {
  let accountOfCall: (call: string) => string | undefined = () => undefined;

  function named(fields: object): object {
    if (!('leg' in fields) || typeof fields.leg !== 'string') return fields;
    const { leg, ...rest } = fields;
    const account = accountOfCall(leg);
    return { call_uuid: leg, ...(account === undefined ? {} : { account }), ...rest };
  }

  return {
    log: {
      debug: (fields, sentence) => log.debug(named(fields), sentence),
      info: (fields, sentence) => log.info(named(fields), sentence),
      warn: (fields, sentence) => log.warn(named(fields), sentence),
      error: (fields, sentence) => log.error(named(fields), sentence),
    },
    follow(found) {
      accountOfCall = found;
    },
  };
}
