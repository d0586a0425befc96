import { CALLS, type Call, type Form } from './calls.ts'
import { newId, SandboxError, shown } from './objects.ts'
import type { Sandbox } from './sandbox.ts'
import * as store from './store.ts'

const KEY = 'Bearer sk_test_sandbox'

const ROUTES = Object.entries<Call>(CALLS).map(([name, call]) => {
  const [method, path = ''] = name.split(' ')
  return { method, pattern: new RegExp(`^${path.replace(':id', '([A-Za-z0-9_]+)')}$`), call }
})

/** Answers the calls of the provider’s client, in place of the network. */
export function fetchFrom(sandbox: Sandbox, db: Parameters<typeof store.find>[0]): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const headers = new Headers(init?.headers)
    const method = init?.method ?? 'GET'
    const sent = method === 'GET' ? url.searchParams : new URLSearchParams(String(init?.body ?? ''))
    sandbox.calls.push(`${method} ${url.pathname}`)
    if (sandbox.calls.length > 10_000) sandbox.calls.splice(0, 5000)
    const trouble = sandbox.trouble()
    try {
      if (trouble === 'refused') throw new SandboxError(429, 'rate_limit_error', 'Too many requests hit the API too quickly.')
      const answer = await answerTo(sandbox, db, method, url.pathname, { headers, sent })
      if (trouble === 'lost') throw new SandboxError(500, 'api_error', 'An unknown error occurred.')
      return Response.json(shown(answer), { headers: { 'request-id': newId('req') } })
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error
      const { type, message, code, param, status } = error
      return Response.json({ error: { type, message, code, param } }, { status, headers: { 'request-id': newId('req') } })
    }
  }
}

async function answerTo(
  sandbox: Sandbox,
  db: Parameters<typeof store.find>[0],
  method: string,
  path: string,
  { headers, sent }: { headers: Headers; sent: URLSearchParams },
): Promise<object> {
  if (headers.get('authorization') !== KEY) throw new SandboxError(401, 'invalid_request_error', 'Invalid API Key provided')
  const [found] = ROUTES.flatMap(({ call, pattern, ...route }) => {
    const match = route.method === method ? pattern.exec(path) : null
    return match ? [{ call, id: match[1] ?? '' }] : []
  })
  if (!found) throw new SandboxError(404, 'invalid_request_error', `Unrecognized request URL (${method}: ${path})`)
  const key = method === 'POST' ? headers.get('idempotency-key') : null
  return await sandbox.run(async (desk) => {
    const known = key === null ? undefined : await store.find(db, `once:${key}`)
    // The provider takes a key again for the same words alone.
    if (known && known['sent'] !== `${sent}`)
      throw new SandboxError(400, 'idempotency_error', 'Keys for idempotent requests can only be used with the same parameters')
    if (known) return known['answer'] as object
    const answer = await found.call(desk, nested(sent), found.id)
    if (key !== null) await store.keep(db, { id: `once:${key}`, kind: 'key', body: { sent: `${sent}`, answer: shown(answer) } })
    return answer
  })
}

/** Reads `a[b][0]=c` as objects in one another. */
function nested(sent: URLSearchParams): Form {
  const root: Form = Object.create(null)
  for (const [name, value] of sent) {
    const keys = name.replaceAll(']', '').split('[')
    let place = root
    for (const key of keys.slice(0, -1)) {
      const known = place[key]
      const next: Form = typeof known === 'object' ? known : Object.create(null)
      place[key] = next
      place = next
    }
    place[keys.at(-1) ?? ''] = value
  }
  return root
}
