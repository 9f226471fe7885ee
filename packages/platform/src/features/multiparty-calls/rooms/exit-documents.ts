import type { Logger } from '@jackfield/ports';
import type { RunOrder } from '../../call-instructions/index.ts';
import type { Calls } from '../../calls/index.ts';
import type { MultipartyCallEffect } from '../domain/multiparty-call.ts';
import { exitFieldsOf } from './exit-fields.ts';
import { endOf, ownerKind } from './leg-owner.ts';

/** Runs a document on an answered leg; false without such a leg, or when no document can run on it. */
type RunDocument = (order: RunOrder) => Promise<boolean>;

/** Documents of exit actions, on legs that were dialled or taken. */
export interface ExitDocuments {
  /** The feature that runs documents registers once, when it is created. */
  runBy(run: RunDocument): void;
  run(uuid: string, effect: Extract<MultipartyCallEffect, { readonly do: 'run-exit-document' }>): void;
}

export interface ExitDocumentsDeps {
  readonly calls: Pick<Calls, 'peek' | 'hangUp'>;
  readonly log: Logger;
}

/** Without a document the leg ends as if there were no exit action (docs/interface/multiparty-calls.md#endings). */
export function createExitDocuments({ calls, log }: ExitDocumentsDeps): ExitDocuments {
  let runDocument: RunDocument = () => Promise.resolve(false);
  return {
    runBy(run) {
      runDocument = run;
    },
    run(uuid, { name, participant, because }) {
      const { leg, onExitAction: request } = participant;
      if (request === null) return;
      const end = endOf(because);
      const fields = exitFieldsOf({ uuid, name }, participant);
      runDocument({ leg, request, fields, endWithout: end }).then(
        (runs) => {
          const owner = calls.peek(leg)?.owner;
          // Another owner may have claimed the leg meanwhile.
          if (!runs && owner?.kind === ownerKind && owner.id === uuid) calls.hangUp(leg, end);
        },
        (error: unknown) => {
          log.error({ mpc: uuid, leg, err: error }, 'document of an exit action not started');
          calls.hangUp(leg, end);
        },
      );
    },
  };
}
