import type { Logger } from '@jackfield/ports';
import type { RunOrder } from '../../call-instructions/index.ts';
import type { Calls, LegOwner } from '../../calls/index.ts';
import type { Elsewhere } from '../../media-links/index.ts';
import type { MultipartyCallEffect } from '../domain/multiparty-call.ts';
import { exitFieldsOf } from './exit-fields.ts';
import { endOf, ownerOf } from './leg-owner.ts';

/** Runs a document on an answered leg; false without such a leg, or when no document can run on it. */
type RunDocument = (order: RunOrder) => Promise<boolean>;

/** Documents of exit actions, on legs that were dialled or taken. */
export interface ExitDocuments {
  /** The feature that runs documents registers once, when it is created. */
  runBy(run: RunDocument): void;
  run(uuid: string, effect: Extract<MultipartyCallEffect, { readonly do: 'run-exit-document' }>): void;
  /** Runs the document on a leg of this owner, or hangs the leg up. */
  begin(owner: LegOwner, order: RunOrder): void;
}

export interface ExitDocumentsDeps {
  readonly calls: Pick<Calls, 'peek' | 'hangUp'>;
  /** Legs of other nodes, on which their homes run documents. */
  readonly elsewhere?: Pick<Elsewhere, 'runDocument'>;
  readonly log: Logger;
}

/** Without a document the leg ends as if there were no exit action (docs/interface/multiparty-calls.md#endings). */
export function createExitDocuments({ calls, log, elsewhere }: ExitDocumentsDeps): ExitDocuments {
  let runDocument: RunDocument = () => Promise.resolve(false);

  function begin({ kind, id }: LegOwner, order: RunOrder): void {
    const { leg, endWithout: end } = order;
    runDocument(order).then(
      (runs) => {
        const owner = calls.peek(leg)?.owner;
        // Another owner may have claimed the leg meanwhile.
        if (!runs && owner?.kind === kind && owner.id === id) calls.hangUp(leg, end);
      },
      (error: unknown) => {
        log.error({ [kind]: id, leg, err: error }, 'document of an exit action not started');
        calls.hangUp(leg, end);
      },
    );
  }

  return {
    begin,
    runBy(run) {
      runDocument = run;
    },
    run(uuid, { name, participant, because }) {
      const { leg, onExitAction: request } = participant;
      if (request === null) return;
      const fields = exitFieldsOf({ uuid, name }, participant);
      const order = { leg, request, fields, endWithout: endOf(because) };
      if (elsewhere?.runDocument(leg, order) !== true) begin(ownerOf(uuid), order);
    },
  };
}
