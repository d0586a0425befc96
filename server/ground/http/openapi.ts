import { z } from 'zod'
import type { Endpoint } from '../../../contract/ground/endpoint.ts'
import { CONTRACT_VERSION } from '../../../contract/ground/limits.ts'
import { REFUSALS } from '../../../contract/ground/refusals.ts'

/** `x-access` and `x-assurance` have the fields of `contract/ground/endpoint.ts`. */
export function openApi(endpoints: Endpoint[]): { openapi: string; [name: string]: unknown } {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of endpoints) {
    const address = endpoint.path.replace(/:([^/]+)/g, '{$1}')
    paths[address] = { ...paths[address], [endpoint.method.toLowerCase()]: operation(endpoint) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Conclave', version: String(CONTRACT_VERSION), description: 'Message contents are sealed by the clients.' },
    paths,
    components: {
      schemas: { Refusal: refusalSchema },
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'conclave_session' } },
    },
  }
}

const refusalSchema = {
  type: 'object',
  required: ['error', 'code'],
  properties: {
    error: { type: 'string' },
    code: { enum: Object.keys(REFUSALS) },
    incidentId: { type: 'string' },
    retryAfterSeconds: { type: 'integer' },
    details: {},
  },
}

function operation(endpoint: Endpoint) {
  const input = z.toJSONSchema(endpoint.input, { io: 'input', unrepresentable: 'any' })
  const properties = Object.entries(input.properties ?? {})
  const isInPath = (name: string) => endpoint.path.split('/').includes(`:${name}`)
  const isRequired = (name: string) => input.required?.includes(name) ?? false
  const { body: kind = 'json', access, assurance = access === 'anyone' ? 'session' : 'account' } = endpoint
  const inQuery = endpoint.method === 'GET' || endpoint.method === 'DELETE' || kind !== 'json'
  const inBody = properties.filter(([name]) => !inQuery && !isInPath(name))
  const parameters = properties
    .filter(([name]) => inQuery || isInPath(name))
    .map(([name, schema]) =>
      isInPath(name) ? { name, in: 'path', required: true, schema } : { name, in: 'query', required: isRequired(name), schema },
    )
  return {
    summary: endpoint.summary,
    'x-access': access,
    'x-assurance': assurance,
    ...(access !== 'anyone' && { security: [{ session: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(inBody.length > 0 && { requestBody: { content: json(objectOf(inBody, isRequired)) } }),
    // A body of bytes has no schema.
    ...(kind !== 'json' && { requestBody: { content: { '*/*': {} } } }),
    responses: {
      200: {
        description: 'Done',
        content:
          endpoint.answer === 'bytes'
            ? { '*/*': {} }
            : json(z.toJSONSchema(endpoint.output, { io: 'output', unrepresentable: 'any' })),
      },
      default: { description: 'Refused', content: json({ $ref: '#/components/schemas/Refusal' }) },
    },
  }
}

const json = (schema: unknown) => ({ 'application/json': { schema } })

const objectOf = (properties: [string, unknown][], isRequired: (name: string) => boolean) => ({
  type: 'object',
  properties: Object.fromEntries(properties),
  required: properties.map(([name]) => name).filter(isRequired),
})
