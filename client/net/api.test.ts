import { expect, test, vi } from 'vitest'
import { accountApi } from '../../contract/account/account.ts'
import { contactsApi } from '../../contract/chat/contacts.ts'
import { messagesApi } from '../../contract/chat/messages.ts'
import { notificationsApi } from '../../contract/chat/notifications.ts'
import { toBase64 } from '../../contract/ground/bytes.ts'
import { LIMITS } from '../../contract/ground/limits.ts'
import { type ApiError, createApi } from './api.ts'
import { patience } from './patience.ts'

interface Asked {
  path: string
  init: RequestInit
}

function wireOf(...answers: (Response | Error)[]) {
  const asked: Asked[] = []
  let ended: string | undefined
  const api = createApi({
    fetch: async (path, init) => {
      asked.push({ path, init })
      const answer = answers.shift()
      if (!answer || answer instanceof Error) throw answer ?? new TypeError('no answer left')
      return answer
    },
    onSignedOut: ({ path }) => {
      ended = path
    },
  })
  return { api, asked, ended: () => ended }
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers })
const roomId = `dm_${'a'.repeat(8)}-aaaa-4aaa-8aaa-${'a'.repeat(12)}_${'b'.repeat(8)}-bbbb-4bbb-8bbb-${'b'.repeat(12)}`

test('A call that the server answers by Tor alone ends when what the page does about it has ended', async () => {
  let open: () => void = () => undefined
  const told: unknown[] = []
  const api = createApi({
    fetch: async () => json({ code: 'tor_required', error: '', details: { onionAddress: null } }, 403),
    onTorRequired: async (details) => {
      told.push(details)
      await new Promise<void>((resolve) => {
        open = resolve
      })
    },
  })
  const ended = vi.fn()
  const call = api(accountApi.user, {}).catch(ended)
  await expect.poll(() => told).toEqual([{ onionAddress: null }])
  expect(ended).not.toHaveBeenCalled()
  open()
  await call
  expect(ended).toHaveBeenCalledWith(expect.objectContaining({ code: 'tor_required' }))
})

test('Names of the path are filled in and escaped, the rest is query or body', async () => {
  const { api, asked } = wireOf(json([]), json({}))
  await api(messagesApi.list, { chatRoomId: roomId, before: 7 })
  await api(messagesApi.markRead, { chatRoomId: roomId, seq: 3 })
  expect(asked[0]?.path).toBe(`/api/messages?chatRoomId=${roomId}&before=7`)
  expect(asked[0]?.init.body).toBeUndefined()
  expect(asked[1]?.path).toBe(`/api/messages/${roomId}/mark-read`)
  expect(asked[1]?.init.body).toBe('{"seq":3}')
})

test('An error says the words for its code, and when to try again', async () => {
  const { api } = wireOf(json({ error: 'Too many attempts', code: 'too_many_requests', retryAfterSeconds: 9 }, 429))
  const error = await api(accountApi.salt, { username: 'alice' }).catch((refused) => refused)
  expect(error).toMatchObject({ status: 429, code: 'too_many_requests', message: 'Too many attempts', retryAfterSeconds: 9 })
  expect(String(error)).toBe('429: Too many attempts')
})

const SCRIPT = '<script>alert(1)</script>'

test.each([
  ['its code', json({ error: SCRIPT, code: 'subscription_required' }, 403), '403: Subscription required'],
  [
    'the number under which the server has logged its own bug',
    json({ error: SCRIPT, code: 'internal', incidentId: '0a0b' }, 500),
    '500: Something went wrong on the server. Incident 0a0b',
  ],
  ['no number that is none', json({ code: 'internal', incidentId: SCRIPT }, 500), '500: Something went wrong on the server'],
  [
    'words of the page for a code that nobody knows',
    json({ error: SCRIPT, code: SCRIPT }, 400),
    '400: Something went wrong on the server',
  ],
  ['words of the page for a gateway', new Response(SCRIPT, { status: 502 }), '502: The server is busy or stopping. Try again'],
  ['words of the page where there is no code', json({ error: SCRIPT }, 500), '500: Something went wrong on the server'],
  ['words of the page where its body is a list', json([SCRIPT], 400), '400: Something went wrong on the server'],
  [
    'words of the page, never the status text',
    new Response('', { status: 500, statusText: 'No' }),
    '500: Something went wrong on the server',
  ],
])(
  'An error is told by %s, never in the raw words of the server, with the status before it only as a string',
  async (_by, answer, text) => {
    const { api } = wireOf(answer)
    const error = await api(contactsApi.list, {}).catch((refused) => refused)
    expect(String(error)).toBe(text)
    expect(error.message).toBe(text.slice('000: '.length))
  },
)

test('What the contract refuses is told in the words of the contract, not of the server', async () => {
  const { api } = wireOf(json({ error: SCRIPT, code: 'invalid_input' }, 400), json({ error: SCRIPT, code: 'invalid_input' }, 400))
  const why = (username: string) => api(accountApi.salt, { username }).catch((refused: Error) => refused.message)
  expect(await why('')).not.toContain('script')
  expect(await why('alice')).toBe('The request is not valid')
})

test('Without a connection it says so, with status 0', async () => {
  const { api } = wireOf(new TypeError('Failed to fetch'))
  await expect(api(contactsApi.list, {})).rejects.toMatchObject({ status: 0, code: 'offline' })
})

test('An answer of another shape than the contract is refused, not shown', async () => {
  const { api } = wireOf(json([{ id: 'no contact' }]))
  await expect(api(contactsApi.list, {})).rejects.toMatchObject({ code: 'unreadable_answer' })
})

test('Only an ended session signs out; a wrong password does not', async () => {
  const wrong = wireOf(json({ error: 'Invalid username or password', code: 'invalid_credentials' }, 401))
  await expect(wrong.api(accountApi.login, { username: 'alice', password: 'x' })).rejects.toMatchObject({ status: 401 })
  expect(wrong.ended()).toBeUndefined()
  const ended = wireOf(json({ error: 'Not signed in', code: 'not_signed_in' }, 401))
  await expect(ended.api(contactsApi.list, {})).rejects.toMatchObject({ status: 401 })
  expect(ended.ended()).toBe('/api/contacts')
  expect(ended.asked).toHaveLength(1)
})

test('A polled call that has nothing new answers 304 and gives the last answer again', async () => {
  const { api, asked } = wireOf(
    json({ count: 4 }, 200, { ETag: '"four"' }),
    new Response(null, { status: 304 }),
    json({ count: 5 }, 200),
  )
  const ask = () => api(notificationsApi.unreadCount, {})
  expect([await ask(), await ask(), await ask()]).toEqual([{ count: 4 }, { count: 4 }, { count: 5 }])
  expect(asked.map(({ init }) => new Headers(init.headers).get('If-None-Match'))).toEqual([null, '"four"', '"four"'])
})

test('a server that answers nonsense for the seconds to wait causes no storm of requests', async () => {
  const waits = async (retryAfterSeconds: unknown) => {
    const { api } = wireOf(json({ error: 'Wait', code: 'too_many_requests', retryAfterSeconds }, 429))
    const error: ApiError = await api(contactsApi.list, {}).catch((refused) => refused)
    return error.retryAfterSeconds
  }
  expect(await Promise.all([0.001, -5, 0, 2_500_000, 1e308].map(waits))).toEqual([1, 1, 1, 3600, 3600])
  expect(await Promise.all(['soon', null, [9], {}, '7'].map(waits))).toEqual(Array(5).fill(undefined))
  expect(await waits(9)).toBe(9)
})

test("a server's text of six megabytes does not freeze the page: it is cut, or not even read", async () => {
  const words = 'x'.repeat(100_000)
  const { api } = wireOf(
    json({ error: words, code: 'internal' }, 500),
    new Response(words, { status: 502 }),
    json({ error: 'x'.repeat(LIMITS.answerBytes) }, 500),
    json({ error: { toString: words }, code: 7 }, 500),
  )
  const errors: ApiError[] = []
  for (let call = 0; call < 4; call++) errors.push(await api(notificationsApi.unreadCount, {}).catch((error) => error))
  expect(errors.map(({ message }) => message.length <= 301)).toEqual([true, true, true, true])
  expect(errors[2]).toMatchObject({ code: 'unreadable_answer' })
  expect(errors[3]).toMatchObject({ status: 500, code: 'internal' })
})

test('an answer that never ends is given up when it has grown too large', async () => {
  let sent = 0
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 64 * 1024
      controller.enqueue(new Uint8Array(64 * 1024).fill(0x20))
    },
  })
  const { api } = wireOf(new Response(endless))
  await expect(api(notificationsApi.unreadCount, {})).rejects.toMatchObject({ code: 'unreadable_answer' })
  expect(sent).toBeLessThan(2 * LIMITS.answerBytes)
})

test('a call that hangs ends with words, before its answer and in the middle of it', async () => {
  vi.useFakeTimers()
  try {
    const halfway = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new Uint8Array([0x7b])) })
    const signals: (AbortSignal | null | undefined)[] = []
    const api = createApi({
      fetch: async (path, init) => {
        signals.push(init.signal)
        return path.includes('unread') ? new Response(halfway) : await new Promise<Response>(() => undefined)
      },
    })
    const calls = [api(contactsApi.list, {}), api(notificationsApi.unreadCount, {})].map((call) => call.catch((error) => error))
    await vi.advanceTimersByTimeAsync(2 * patience().readSilenceMs)
    for (const error of await Promise.all(calls)) {
      expect(error).toMatchObject({ status: 0, code: 'no_answer', message: 'The server does not answer. Please try again' })
    }
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, true])
  } finally {
    vi.useRealTimers()
  }
})

/** The answer to a call, of which one byte comes after so many ms. */
function answersLate(...pausesMs: number[]) {
  return createApi({
    fetch: async () => {
      const bytes = new TextEncoder().encode('{"count":2}')
      const pause = () => new Promise((resolve) => setTimeout(resolve, pausesMs.shift() ?? 0))
      await pause()
      let at = 0
      const body = new ReadableStream<Uint8Array>({
        async pull(to) {
          if (at === bytes.length) return to.close()
          await pause()
          to.enqueue(bytes.slice(at, ++at))
        },
      })
      return new Response(body)
    },
  })
}

test.each([
  ['an onion', `${'a'.repeat(56)}.onion`, { count: 2 }],
  ['another', 'chat.example', 'no_answer'],
])('on %s origin a call that waits for a circuit, and stalls once, ends so', async (_which, hostname, end) => {
  vi.useFakeTimers()
  vi.stubGlobal('location', { hostname })
  try {
    const call = answersLate(35_000, 0, 0, 40_000)(notificationsApi.unreadCount, {}).catch(({ code }) => code)
    await vi.advanceTimersByTimeAsync(80_000)
    expect(await call).toEqual(end)
  } finally {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  }
})

test('a salt of another size than sixteen bytes is not used', async () => {
  for (const size of [0, 3, 15, 17, 18, 32]) {
    const { api } = wireOf(json({ salt: toBase64(new Uint8Array(size)) }))
    await expect(api(accountApi.salt, { username: 'alice' }), `${size} bytes`).rejects.toMatchObject({
      code: 'unreadable_answer',
    })
  }
  const { api } = wireOf(json({ salt: toBase64(new Uint8Array(16)) }))
  expect(await api(accountApi.salt, { username: 'alice' })).toEqual({ salt: 'AAAAAAAAAAAAAAAAAAAAAA==' })
})

test('A call that wants a device to sign for the session is made once more after it has, and calls beside it wait for the same', async () => {
  const wants = () => json({ error: 'Reload the page', code: 'device_required' }, 403)
  const proofs: (() => void)[] = []
  const asked: string[] = []
  let isProven = false
  const api = createApi({
    fetch: async (path) => {
      asked.push(path)
      return isProven && path !== '/api/user' ? json({ count: 2 }) : wants()
    },
    prove: () => new Promise((resolve) => proofs.push(resolve)),
  })
  const calls = [api(notificationsApi.unreadCount, {}), api(notificationsApi.unreadCount, {})]
  await expect.poll(() => [asked.length, proofs.length]).toEqual([2, 1])
  isProven = true
  proofs[0]?.()
  expect(await Promise.all(calls)).toEqual([{ count: 2 }, { count: 2 }])
  // What the proof itself needs asks for none: a server that lies makes no circle.
  await expect(api(accountApi.user, {})).rejects.toMatchObject({ code: 'device_required' })
  // Nor does one that goes on refusing.
  isProven = false
  const refused = api(notificationsApi.unreadCount, {})
  await expect.poll(() => proofs).toHaveLength(2)
  proofs[1]?.()
  await expect(refused).rejects.toMatchObject({ code: 'device_required' })
  expect([asked.length, proofs.length]).toEqual([7, 2])
})
