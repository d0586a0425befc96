import { beforeEach, expect, test } from 'vitest'
import { fromBase64, toBase64Url } from '../../../contract/ground/bytes.ts'
import type { Endpoint } from '../../../contract/ground/endpoint.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { openBrowser } from '../../testing/browser.ts'
import { toastStore } from '../../ui/toast.ts'
import { followPrefs, prefsStore } from '../notifications/newsPrefs.ts'
import { pushStanding, renewPush, switchPushOff, switchPushOn } from './push.ts'
import { loadQuietHours, saveQuietHours } from './quietHours.ts'

const [ONE_KEY, OTHER_KEY] = ['AQID', 'BAUG']

/** A browser with a push service, and a server that it subscribes at. */
function setUp() {
  const state = {
    /** Of the server; null if it pushes nothing. */
    key: ONE_KEY as string | null,
    calls: [] as [string, unknown][],
    refusal: undefined as ApiError | undefined,
    subscriptions: 0,
    /** Titles of notifications about calls. */
    notifications: [] as string[],
    /** What the push service says. */
    failure: undefined as Error | undefined,
    answer: 'granted' as NotificationPermission,
  }
  const newSubscription = (key: string) => {
    const endpoint = `https://push.example/${++state.subscriptions}`
    return {
      options: { applicationServerKey: fromBase64(key).buffer },
      toJSON: () => ({ endpoint, expirationTime: null, keys: { p256dh: 'B'.repeat(87), auth: 'A'.repeat(22) } }),
      unsubscribe: async () => {
        if (state.failure) throw state.failure
        current = undefined
      },
    }
  }
  let current: ReturnType<typeof newSubscription> | undefined
  const registration = {
    getNotifications: async ({ tag }: { tag: string }) =>
      state.notifications.map((title) => ({
        ...{ title, tag },
        close: () => void state.notifications.splice(state.notifications.indexOf(title), 1),
      })),
    pushManager: {
      getSubscription: async () => current ?? null,
      subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) => {
        if (state.failure) throw state.failure
        current = newSubscription(applicationServerKey)
        return current
      },
    },
  }
  const serviceWorker = {
    register: async () => registration,
    ready: Promise.resolve(registration),
    getRegistration: async () => registration,
  }
  Object.assign(navigator, { serviceWorker })
  const asked = {
    permission: 'default' as NotificationPermission,
    requestPermission: async () => {
      asked.permission = state.answer
      return state.answer
    },
  }
  Object.assign(globalThis, { isSecureContext: true, Notification: asked, PushManager: class {} })
  const env = {
    api: async ({ method, path }: Endpoint, input: unknown) => {
      state.calls.push([`${method} ${path}`, input])
      if (path === '/api/push/key') return { key: state.key }
      const { refusal } = state
      state.refusal = undefined
      if (refusal) throw refusal
      return { quietHours: null }
    },
  } as unknown as Env
  const posted = () =>
    state.calls.filter(([name]) => name === 'POST /api/push/subscriptions').map(([, input]) => endpointOf(input))
  const keyNow = () => current && toBase64Url(new Uint8Array(current.options.applicationServerKey))
  return { state, env, posted, keyNow }
}

const endpointOf = (input: unknown) => (input as { endpoint: string }).endpoint.split('/').at(-1)
const toasts = () => toastStore.getState().queue.map(({ title, text }) => [title, text])

beforeEach(openBrowser)
beforeEach(() => {
  toastStore.setState({ queue: [] })
  followPrefs()()
})

test('a press asks for the permission, subscribes with the key of the server and hands it on', async () => {
  const { env, posted, keyNow } = setUp()
  expect(pushStanding()).toBe('default')
  await switchPushOn(env)
  expect([posted(), keyNow(), prefsStore.getState().isPushed]).toEqual([['1'], ONE_KEY, true])
  expect(toasts()).toEqual([])
})

test('a page that begins takes a ring away that nobody has ended, and leaves what was missed', async () => {
  const { env, state } = setUp()
  await switchPushOn(env)
  state.notifications = ['Missed call', 'Incoming call']
  await renewPush(env)
  expect(state.notifications).toEqual(['Missed call'])
})

test('whoever says no is not subscribed, and the settings know it', async () => {
  const { env, state, posted } = setUp()
  state.answer = 'denied'
  await switchPushOn(env)
  expect([pushStanding(), posted(), prefsStore.getState().isPushed]).toEqual(['denied', [], false])
})

test('a browser without a push service says why, and so does a server that pushes nothing; the switch stays off', async () => {
  const { env, state } = setUp()
  state.failure = new Error('Registration failed - push service not available')
  await switchPushOn(env)
  state.key = null
  await switchPushOn(env)
  expect(toasts()).toEqual([
    [
      'This browser cannot be told while Conclave is closed',
      'Its push service does not answer: Registration failed - push service not available',
    ],
    ['This browser cannot be told while Conclave is closed', 'This server tells no closed browsers.'],
  ])
  expect(prefsStore.getState().isPushed).toBe(false)
})

test('the next start hands the same subscription on again, and makes another where the server has another key', async () => {
  const { env, state, posted, keyNow } = setUp()
  await renewPush(env)
  expect(state.calls).toEqual([])
  await switchPushOn(env)
  await renewPush(env)
  expect(posted()).toEqual(['1', '1'])
  state.key = OTHER_KEY
  await renewPush(env)
  expect([posted().at(-1), keyNow()]).toEqual(['2', OTHER_KEY])
})

test('a push service that is gone at a later start is said, and the switch goes off', async () => {
  const { env, state } = setUp()
  await switchPushOn(env)
  state.key = OTHER_KEY
  state.failure = new Error('gone')
  await renewPush(env)
  expect(toasts()).toEqual([
    ['This browser is no longer told while Conclave is closed', 'Its push service does not answer: gone'],
  ])
  expect(prefsStore.getState().isPushed).toBe(false)
})

test('a subscription that another account has left in this browser gives way to a new one', async () => {
  const { env, state, posted } = setUp()
  state.refusal = new ApiError(409, 'push_subscription_taken', 'This subscription is of another account')
  await switchPushOn(env)
  expect([posted(), prefsStore.getState().isPushed]).toEqual([['1', '2'], true])
})

test('switched off it ends at the push service and at the server, and a server that cannot be reached is said', async () => {
  const { env, state, keyNow } = setUp()
  await switchPushOn(env)
  await switchPushOff(env)
  expect([keyNow(), state.calls.at(-1)]).toEqual([undefined, ['DELETE /api/push/subscriptions', {}]])
  state.refusal = new ApiError(0, 'offline', 'The server cannot be reached')
  await switchPushOff(env)
  expect(toasts()).toEqual([['The server does not know of it yet', 'The server cannot be reached']])
})

test('a push service that does not answer when it is switched off keeps nobody from switching it off', async () => {
  const { env, state } = setUp()
  await switchPushOn(env)
  state.failure = new Error('gone')
  await switchPushOff(env)
  expect([state.calls.at(-1), prefsStore.getState().isPushed]).toEqual([['DELETE /api/push/subscriptions', {}], false])
})

test('a browser that cannot be told says which it lacks: a secure address, or a push service', () => {
  setUp()
  Reflect.deleteProperty(globalThis, 'PushManager')
  expect(pushStanding()).toBe('unsupported')
  Object.assign(globalThis, { isSecureContext: false })
  expect(pushStanding()).toBe('insecure')
})

test('choices of before know nothing of closed browsers, and stay', () => {
  localStorage.setItem('notifications', '{"isDesktop":true,"hasContent":true,"hasSound":false,"offer":"answered"}')
  followPrefs()()
  expect(prefsStore.getState()).toMatchObject({ isDesktop: true, hasContent: true, hasSound: false, isPushed: false })
})

test('quiet hours are saved in the order of the changes, and a refusal is said', async () => {
  const { env, state } = setUp()
  const hours = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' }
  const saved = await Promise.all([hours, { ...hours, to: '08:00' }, null].map((each) => saveQuietHours(env, each)))
  expect(saved).toEqual([true, true, true])
  expect(state.calls.map(([, input]) => (input as { quietHours: { to: string } | null }).quietHours?.to)).toEqual([
    '07:00',
    '08:00',
    undefined,
  ])
  state.refusal = new ApiError(429, 'too_many_requests', 'Too many attempts')
  expect(await saveQuietHours(env, null)).toBe(false)
  expect(toasts()).toEqual([['The quiet hours were not saved', 'Too many attempts']])
  expect(await loadQuietHours(env)).toBeNull()
})
