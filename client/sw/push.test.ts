import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CALL_LIMITS } from '../../contract/chat/calllimits.ts'
import { RING_MS } from '../../contract/chat/pushnews.ts'
import { listenForPush } from './push.ts'

interface Page {
  visibilityState: 'visible' | 'hidden'
  focus: () => Promise<void>
}

/** A service worker's globals, as far as pushes use them. */
function worker(pages: Page[] = [], hostname = 'chat.example.org') {
  const shown: [string, NotificationOptions | undefined][] = []
  /** One a tag. */
  const standing = new Map<string, [string, NotificationOptions | undefined]>()
  const opened: string[] = []
  const closed: string[] = []
  const subscribe = vi.fn(async () => ({ toJSON: () => ({ endpoint: 'https://push.example/new' }) }))
  const scope = Object.assign(new EventTarget(), {
    location: { hostname },
    clients: { matchAll: async () => pages, openWindow: async (address: string) => void opened.push(address) },
    registration: {
      async showNotification(title: string, options?: NotificationOptions) {
        shown.push([title, options])
        standing.set(options?.tag ?? '', [title, options])
      },
      pushManager: { subscribe },
      async getNotifications({ tag }: { tag: string }) {
        const close = () => {
          closed.push(tag)
          standing.delete(tag)
        }
        return [{ close, data: standing.get(tag)?.[1]?.data }]
      },
    },
  })
  listenForPush(scope as unknown as ServiceWorkerGlobalScope)
  /** Has the worker handle an event, and waits as a browser does. */
  async function happens(type: string, more: object = {}): Promise<void> {
    const works: Promise<unknown>[] = []
    scope.dispatchEvent(Object.assign(new Event(type), { waitUntil: (work: Promise<unknown>) => void works.push(work), ...more }))
    expect(works).toHaveLength(1)
    // The work of a ring takes as long as it rings.
    await Promise.race([Promise.all(works), vi.advanceTimersByTimeAsync(1000)])
  }
  const pushes = (text?: string) => happens('push', { data: text === undefined ? null : { json: () => JSON.parse(text) } })
  const stands = () => [...standing.values()].map(([title]) => title)
  return { shown, opened, closed, subscribe, happens, pushes, stands }
}

const page = (visibilityState: Page['visibilityState']) => ({ visibilityState, focus: vi.fn(async () => undefined) })

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }))
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('a push says “New message”, each in the place of the one before, whether no page is open or one in the background', async () => {
  for (const pages of [[], [page('hidden')]]) {
    const { shown, pushes } = worker(pages)
    for (let count = 0; count < 2; count++) await pushes('{"kind":"message"}')
    const told = ['New message', { tag: 'conclave-pushed', icon: '/favicon.svg' }]
    expect(shown).toEqual([told, told])
  }
})

test('while somebody looks at a page no second notification appears', async () => {
  const { shown, pushes } = worker([page('hidden'), page('visible')])
  await pushes('{"kind":"message"}')
  expect(shown).toEqual([])
})

test('a call rings until somebody answers the notification, and how it ended stands in its place; a message stays beside it', async () => {
  const { shown, pushes } = worker([page('hidden')])
  for (const kind of ['ring', 'missed', 'ring', 'answered', 'message']) await pushes(`{"kind":"${kind}"}`.padEnd(32))
  const [tag, icon] = ['conclave-pushed-call', '/favicon.svg']
  const rings = ['Incoming call', { tag, icon, data: expect.any(String), requireInteraction: true, renotify: true }]
  expect(shown).toEqual([
    ...[rings, ['Missed call', { tag, icon }], rings, ['Answered in another browser', { tag, icon }]],
    ['New message', { tag: 'conclave-pushed', icon }],
  ])
})

test('a ring whose end nobody tells leaves the screen when it is over, and takes neither a later ring nor how one ended along', async () => {
  expect(RING_MS).toBe(CALL_LIMITS.ringSeconds * 1000)
  const { pushes, stands } = worker()
  await pushes('{"kind":"ring"}')
  await vi.advanceTimersByTimeAsync(RING_MS - 2000)
  expect(stands()).toEqual(['Incoming call'])
  await pushes('{"kind":"ring"}')
  await vi.advanceTimersByTimeAsync(5000)
  expect(stands()).toEqual(['Incoming call'])
  await vi.advanceTimersByTimeAsync(RING_MS)
  expect(stands()).toEqual([])
  for (const kind of ['ring', 'missed']) await pushes(`{"kind":"${kind}"}`)
  await vi.advanceTimersByTimeAsync(RING_MS)
  expect(stands()).toEqual(['Missed call'])
})

test('while somebody looks at a page it rings by itself, and a ring that is over leaves the screen', async () => {
  const { shown, closed, pushes } = worker([page('visible')])
  for (const kind of ['ring', 'message']) await pushes(`{"kind":"${kind}"}`)
  expect([shown, closed]).toEqual([[], []])
  for (const kind of ['missed', 'answered']) await pushes(`{"kind":"${kind}"}`)
  expect([shown, closed]).toEqual([[], ['conclave-pushed-call', 'conclave-pushed-call']])
})

test('a push that this version does not know, or without contents, shows the name of the app and no word of its own', async () => {
  for (const text of ['{"kind":"call","from":"Eve"}', '{"kind":"toString"}', 'null', '"<b>"', 'rubbish', undefined]) {
    const { shown, pushes } = worker()
    await pushes(text)
    expect(shown).toEqual([['Conclave', expect.anything()]])
  }
})

test('a press leads to a page that is open, the one in view first, and opens one where there is none', async () => {
  const close = vi.fn()
  const [back, front] = [page('hidden'), page('visible')]
  const both = worker([back, front])
  await both.happens('notificationclick', { notification: { close } })
  expect([back.focus.mock.calls.length, front.focus.mock.calls.length, both.opened]).toEqual([0, 1, []])
  const hidden = worker([back])
  await hidden.happens('notificationclick', { notification: { close } })
  expect([back.focus.mock.calls.length, hidden.opened]).toEqual([1, []])
  const none = worker()
  await none.happens('notificationclick', { notification: { close } })
  expect([none.opened, close.mock.calls.length]).toEqual([['/'], 3])
})

test('a subscription that the push service replaces goes on by the key of the server, and without a session not', async () => {
  const asked: [string, RequestInit | undefined][] = []
  let status = 200
  vi.stubGlobal('fetch', async (address: string, init?: RequestInit) => {
    asked.push([address, init])
    return { ok: status === 200, json: async () => ({ key: 'a-key' }) }
  })
  const { happens, subscribe } = worker()
  await happens('pushsubscriptionchange')
  expect(subscribe).toHaveBeenCalledWith({ userVisibleOnly: true, applicationServerKey: 'a-key' })
  expect(asked).toMatchObject([
    ['/api/push/key', {}],
    ['/api/push/subscriptions', { method: 'POST', body: '{"endpoint":"https://push.example/new"}' }],
  ])
  status = 401
  await happens('pushsubscriptionchange')
  expect([subscribe.mock.calls.length, asked.length]).toEqual([1, 3])
  const byOnion = worker([], 'abc.onion')
  await byOnion.happens('pushsubscriptionchange')
  expect([byOnion.subscribe.mock.calls.length, asked.length]).toEqual([0, 3])
})
