export {
  apiId,
  defaultPageSize,
  type ErrorBody,
  errorBody,
  type ListMeta,
  listBody,
  listMeta,
  maxPageSize,
  messageBody,
  pageQuery,
} from './envelopes.ts';
export { allowedKeyword, type SchemaKeyword, schemaKeywords } from './keywords.ts';
export {
  type Described,
  type LooseBoolean,
  type LooseInteger,
  looseBoolean,
  looseEnum,
  looseInteger,
  readBoolean,
  readInteger,
  readOneOf,
} from './loose.ts';
export {
  authId,
  authIdPattern,
  e164,
  httpUrl,
  isE164,
  isSipUri,
  isSipUser,
  pathId,
  sipUri,
  text,
  uuid,
  webSocketUrl,
} from './primitives.ts';
