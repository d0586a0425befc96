import { afterEach, expect, test, vi } from 'vitest'
import { toastStore } from '../../ui/toast.ts'
import { refusedWords, watchCode } from './buildcheck.ts'

/** A browser whose service worker says this of the server's version; without it there is no worker. */
function browser(offered?: object) {
  const active = {
    postMessage(_: unknown, [port]: MessagePort[]) {
      port?.postMessage(offered)
    },
  }
  const register = vi.fn(async () => undefined)
  vi.stubGlobal('navigator', {
    serviceWorker: { getRegistration: async () => offered && { active }, register, ready: Promise.resolve({ active }) },
  })
  return { register }
}

afterEach(() => {
  vi.unstubAllGlobals()
  toastStore.setState({ queue: [] })
})

test('What a browser refused to start is told once, as something that must be seen', async () => {
  for (const outcome of ['unsigned', 'other_key', 'older', 'far', 'undone', 'broken']) {
    browser({ outcome, key: 'k' })
    await watchCode()
    expect(toastStore.getState().queue).toMatchObject([
      { tone: 'bad', mustBeSeen: true, title: refusedWords({ outcome } as never)?.title },
    ])
    toastStore.setState({ queue: [] })
  }
  for (const outcome of ['current', 'taken', 'away', 'full']) {
    browser({ outcome })
    await watchCode()
    expect(toastStore.getState().queue, outcome).toEqual([])
  }
})

test('Where the operator signs, each browser checks the code of its starts; elsewhere none needs the worker for that', async () => {
  for (const [status, times] of [
    [200, 1],
    [404, 0],
  ] as const) {
    const { register } = browser()
    vi.stubGlobal('fetch', async () => new Response('{}', { status }))
    await watchCode()
    expect(register).toHaveBeenCalledTimes(times)
  }
  browser()
  vi.stubGlobal('fetch', async () => {
    throw new TypeError('Failed to fetch')
  })
  await expect(watchCode()).resolves.toBeUndefined()
})
