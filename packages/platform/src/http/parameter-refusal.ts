import { allowedKeyword } from '@jackfield/contract';
import type { FastifySchemaValidationError } from 'fastify';
import {
  invalidParameter,
  invalidSecret,
  missingParameter,
  type Problem,
  problem,
} from '../kernel/problem.ts';

interface PropertySchema {
  readonly type?: unknown;
  readonly writeOnly?: boolean;
  readonly [allowedKeyword]?: string;
}

/**
 * Turns the errors of the validator into one sentence about one parameter. The schema itself says what is allowed, so that
 * documentation and refusal never differ.
 */
export function refusalOf(
  errors: readonly FastifySchemaValidationError[],
  schema: unknown,
  data: unknown,
): Problem {
  const missing = errors.find((error) => error.keyword === 'required' && error.instancePath === '');
  if (missing !== undefined) return missingParameter(String(missing.params.missingProperty));
  // Inside a list or an object, the parameter is the outermost name.
  const name = errors[0]?.instancePath.split('/')[1]?.replace(/~1/g, '/').replace(/~0/g, '~');
  if (name === undefined || name === '')
    return problem('invalid-parameter', 'the parameters must be one JSON object');
  const property = propertyOf(schema, name);
  const allowed = property?.[allowedKeyword] ?? allowedByType(property?.type);
  if (property?.writeOnly === true) return invalidSecret(name, allowed);
  const value =
    typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[name] : undefined;
  return invalidParameter(name, value, allowed);
}

function propertyOf(schema: unknown, name: string): PropertySchema | undefined {
  const { properties } = (schema ?? {}) as { properties?: Record<string, PropertySchema> };
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

function allowedByType(type: unknown): string {
  return typeof type === 'string' ? `of type ${type}` : 'of the documented form';
}
