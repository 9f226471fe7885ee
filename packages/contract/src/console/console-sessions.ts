import { type Static, Type } from 'typebox';
import { apiId } from '../envelopes.ts';
import { text } from '../primitives.ts';

/** What a session may do, the least first: each role may do what the roles before it may. */
export const consoleRoles = ['viewer', 'operator', 'owner'] as const;
export type ConsoleRole = (typeof consoleRoles)[number];

const role = Type.Unsafe<ConsoleRole>({
  type: 'string',
  enum: [...consoleRoles],
  'x-allowed': 'viewer, operator or owner',
  description:
    'viewer: reads; operator: acts on live calls, verifications and callbacks as well; owner: everything the account may.',
});

/** Either the credentials of the account, or the token of a one-time link. */
export const newConsoleSession = Type.Object({
  auth_id: Type.Optional(text({ maxLength: 20, description: 'The account.' })),
  auth_token: Type.Optional(
    text({ maxLength: 200, writeOnly: true, description: 'The token of that account.' }),
  ),
  login_token: Type.Optional(
    text({
      maxLength: 100,
      writeOnly: true,
      description: 'The token of a one-time link, instead of auth_id and auth_token.',
    }),
  ),
  role: Type.Optional(role),
});
export type NewConsoleSession = Static<typeof newConsoleSession>;

const consoleSessionFields = {
  session_id: Type.String({ description: 'Names the session in a list; it is no secret.' }),
  auth_id: Type.String({ description: 'The account of the session.' }),
  role,
  name: Type.Union([Type.String(), Type.Null()], {
    description: 'Who logged in through the identity provider; null for a login with a token.',
  }),
  user_agent: Type.String({ description: 'What the browser called itself at the login.' }),
  source_address: Type.String({ description: 'Where the login came from.' }),
  created_at: Type.String({ examples: ['2026-02-01T10:00:00.125Z'] }),
  last_used_at: Type.String({ description: 'Exact to a minute.' }),
  expires_at: Type.String({ description: 'Twelve hours after the last use.' }),
  is_current: Type.Boolean({ description: 'The session of this request.' }),
};
export const consoleSessionItem = Type.Object(consoleSessionFields, { title: 'Console session in a list' });
export type ConsoleSessionItem = Static<typeof consoleSessionItem>;

export const consoleSessionBody = Type.Object(
  { api_id: apiId, ...consoleSessionFields },
  { title: 'Console session' },
);
export type ConsoleSessionBody = Static<typeof consoleSessionBody>;

/** Newest first; an account has a limited number of them, so that one answer holds all. */
export const consoleSessionList = Type.Object({
  api_id: apiId,
  objects: Type.Array(consoleSessionItem),
});

export const consoleSessionPath = Type.Object({
  session_id: Type.Unsafe<string>({ type: 'string', description: 'session_id of a session.' }),
});

export const newConsoleLink = Type.Object({ role: Type.Optional(role) });
export type NewConsoleLink = Static<typeof newConsoleLink>;

export const createdConsoleLink = Type.Object({
  api_id: apiId,
  login_token: Type.String({
    description: 'Opens one session: append #login=<login_token> to the address of the console.',
  }),
  path: Type.String({ examples: ['/console/#login=…'] }),
  role,
  expires_at: Type.String({ examples: ['2026-02-01T10:15:00.000Z'] }),
});
