import { expect, test } from 'vitest'
import { accountApi } from '../../contract/account.ts'
import { contactsApi } from '../../contract/contacts.ts'
import { messagesApi } from '../../contract/messages.ts'
import { notificationsApi } from '../../contract/notifications.ts'
import { createApi } from './api.ts'

interface Asked {
  path: string
  init: RequestInit
}

function wireOf(...answers: (Response | Error)[]) {
  const asked: Asked[] = []
  let hasEnded = false
  const api = createApi({
    fetch: async (path, init) => {
      asked.push({ path, init })
      const answer = answers.shift()
      if (!answer || answer instanceof Error) throw answer ?? new TypeError('no answer left')
      return answer
    },
    onSignedOut: () => {
      hasEnded = true
    },
  })
  return { api, asked, hasEnded: () => hasEnded }
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers })
const roomId = `dm_${'a'.repeat(8)}-aaaa-4aaa-8aaa-${'a'.repeat(12)}_${'b'.repeat(8)}-bbbb-4bbb-8bbb-${'b'.repeat(12)}`

test('Names of the path are filled in and escaped, the rest is query or body', async () => {
  const { api, asked } = wireOf(json([]), json({}))
  await api(messagesApi.list, { chatRoomId: roomId, before: 7 })
  await api(messagesApi.markRead, { chatRoomId: roomId, seq: 3 })
  expect(asked[0]?.path).toBe(`/api/messages?chatRoomId=${roomId}&before=7`)
  expect(asked[0]?.init.body).toBeUndefined()
  expect(asked[1]?.path).toBe(`/api/messages/${roomId}/mark-read`)
  expect(asked[1]?.init.body).toBe('{"seq":3}')
})

test("An error says the server's words, its code, and when to try again", async () => {
  const { api } = wireOf(json({ error: 'Too many attempts', code: 'too_many_requests', retryAfterSeconds: 9 }, 429))
  const error = await api(accountApi.salt, { username: 'alice' }).catch((refused) => refused)
  expect(error).toMatchObject({ status: 429, code: 'too_many_requests', message: 'Too many attempts', retryAfterSeconds: 9 })
  expect(String(error)).toBe('429: Too many attempts')
})

test('An answer that is no JSON is told by its text, or by its status', async () => {
  const { api } = wireOf(
    new Response('Bad gateway', { status: 502 }),
    new Response('', { status: 503, statusText: 'Service Unavailable' }),
  )
  await expect(api(contactsApi.list, {})).rejects.toMatchObject({ status: 502, message: 'Bad gateway' })
  await expect(api(contactsApi.list, {})).rejects.toMatchObject({ status: 503, message: 'Service Unavailable' })
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
  expect(wrong.hasEnded()).toBe(false)
  const ended = wireOf(json({ error: 'Not signed in', code: 'not_signed_in' }, 401))
  await expect(ended.api(contactsApi.list, {})).rejects.toMatchObject({ status: 401 })
  expect(ended.hasEnded()).toBe(true)
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
