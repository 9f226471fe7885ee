import {
  accountBody,
  accountChanges,
  createdSubaccount,
  messageBody,
  newSubaccount,
  pageQuery,
  readBoolean,
  subaccountBody,
  subaccountChanges,
  subaccountList,
  subaccountPath,
  subaccountRemoval,
} from '@jackfield/contract';
import { Type } from 'typebox';
import { type RouteGroup, route } from '../../http/index.ts';
import { accepted } from '../../kernel/result.ts';
import {
  type CommandDeps,
  changeAccount,
  changeSubaccount,
  createSubaccount,
  removeSubaccount,
} from './commands.ts';
import { readAccount, readSubaccount, readSubaccounts } from './queries.ts';

export function accountRoutes(deps: CommandDeps): RouteGroup {
  return {
    name: 'Accounts',
    description: 'Your account and its subaccounts, which see only their own resources.',
    routes: [
      route({
        method: 'GET',
        path: '',
        operation: 'Retrieve the account',
        schema: { response: accountBody },
        success: 200,
        run: ({ account }) => readAccount(deps, account),
      }),
      route({
        method: 'POST',
        path: '',
        operation: 'Update the account',
        schema: { body: accountChanges, response: messageBody('changed') },
        success: 202,
        async run({ account, body, now }) {
          const changed = await changeAccount(deps, account, body, now);
          return changed.ok ? accepted({ message: 'changed' }) : changed;
        },
      }),
      route({
        method: 'POST',
        path: 'Subaccount/',
        operation: 'Create a subaccount',
        schema: { body: newSubaccount, response: createdSubaccount },
        success: 201,
        async run({ account, body, now }) {
          const created = await createSubaccount(deps, account, body, now);
          if (!created.ok) return created;
          const { authId, authToken } = created.value;
          return accepted({ auth_id: authId, auth_token: authToken, message: 'created' });
        },
      }),
      route({
        method: 'GET',
        path: 'Subaccount/',
        operation: 'List subaccounts',
        schema: { query: Type.Object(pageQuery), response: subaccountList },
        success: 200,
        run: ({ account, query, session }) => readSubaccounts(deps, account, query, session === undefined),
      }),
      route({
        method: 'GET',
        path: 'Subaccount/:subaccount_id/',
        operation: 'Retrieve a subaccount',
        schema: { params: subaccountPath, response: subaccountBody },
        success: 200,
        run: ({ account, params, session }) =>
          readSubaccount(deps, account, params.subaccount_id, session === undefined),
      }),
      route({
        method: 'POST',
        path: 'Subaccount/:subaccount_id/',
        operation: 'Update a subaccount',
        schema: { params: subaccountPath, body: subaccountChanges, response: messageBody('changed') },
        success: 202,
        async run({ account, params, body, now }) {
          const changed = await changeSubaccount(deps, account, params.subaccount_id, body, now);
          return changed.ok ? accepted({ message: 'changed' }) : changed;
        },
      }),
      route({
        method: 'DELETE',
        path: 'Subaccount/:subaccount_id/',
        operation: 'Delete a subaccount',
        schema: { params: subaccountPath, query: subaccountRemoval },
        success: 204,
        run: ({ account, params, query }) =>
          removeSubaccount(deps, account, params.subaccount_id, readBoolean(query.cascade) ?? false),
      }),
    ],
  };
}
