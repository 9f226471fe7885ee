import {
  createdNumber,
  messageBody,
  newNumber,
  numberBody,
  numberChanges,
  numberList,
  numberListQuery,
  numberPath,
} from '@jackfield/contract';
import { type RouteGroup, route } from '../../http/index.ts';
import { accepted } from '../../kernel/result.ts';
import { addNumber, type CommandDeps, changeNumber, removeNumber } from './commands.ts';
import { readNumber, readNumbers } from './queries.ts';

export function numberRoutes(deps: CommandDeps): RouteGroup {
  const one = 'Number/:number/';
  return {
    name: 'Numbers',
    description:
      'Numbers of the public network, and the destination of calls to them: an application or an inbound trunk.',
    routes: [
      route({
        method: 'POST',
        path: 'Number/',
        operation: 'Add a number',
        id: 'createNumber',
        description: 'By a main account; it may give the number to a subaccount.',
        schema: { body: newNumber, response: createdNumber },
        success: 201,
        async run({ account, body, now }) {
          const added = await addNumber(deps, account, body, now);
          return added.ok ? accepted({ message: 'created', number: added.value.slice(1) }) : added;
        },
      }),
      route({
        method: 'GET',
        path: 'Number/',
        operation: 'List numbers',
        description: 'Newest first. With filters no more than 10,000 are counted.',
        schema: { query: numberListQuery, response: numberList },
        success: 200,
        run: ({ account, query }) => readNumbers(deps, account, query),
      }),
      route({
        method: 'GET',
        path: one,
        operation: 'Retrieve a number',
        schema: { params: numberPath, response: numberBody },
        success: 200,
        run: ({ account, params }) => readNumber(deps, account, params.number),
      }),
      route({
        method: 'POST',
        path: one,
        operation: 'Update a number',
        description: 'Attaches it to an application or an inbound trunk: one replaces the other.',
        schema: { params: numberPath, body: numberChanges, response: messageBody('changed') },
        success: 202,
        async run({ account, params, body }) {
          const changed = await changeNumber(deps, account, params.number, body);
          return changed.ok ? accepted({ message: 'changed' }) : changed;
        },
      }),
      route({
        method: 'DELETE',
        path: one,
        operation: 'Remove a number',
        id: 'deleteNumber',
        description: 'By a main account. Its application or trunk stays.',
        schema: { params: numberPath },
        success: 204,
        run: ({ account, params }) => removeNumber(deps, account, params.number),
      }),
    ],
  };
}
