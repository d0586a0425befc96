import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { lockNow } from '../../me/browserlock/browserlock.ts'
import { toastStore } from '../../ui/toast.ts'
import { putRooms, type RoomRow } from './roomList.ts'
import { withLock } from './roomLocks.ts'
import { dropVoices, keepVoice, type Recording, takeVoice, voiceOf } from './voicedrafts.ts'

let page: EventTarget
beforeEach(() => {
  page = new EventTarget()
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
  vi.stubGlobal('localStorage', { setItem: () => undefined })
})
afterEach(() => {
  dropVoices()
  vi.unstubAllGlobals()
})

const dropped: string[] = []
const recorded = (name: string): Recording => ({
  resume: async () => undefined,
  pause: async () => new Blob(),
  end: async () => new Blob(),
  drop: () => void dropped.push(name),
  seconds: () => 12,
  levels: () => [1],
})
/** True if the page asks before it is closed or loaded anew. */
const asks = () => !page.dispatchEvent(new Event('beforeunload', { cancelable: true }))

test('A page asks before it is closed as long as it holds a recording, one a chat', () => {
  expect(asks()).toBe(false)
  const [bob, carol] = [recorded('for Bob'), recorded('for Carol')]
  keepVoice('bob', bob)
  keepVoice('carol', carol)
  expect(takeVoice('bob')).toBe(bob)
  expect(asks()).toBe(true)
  expect(takeVoice('bob')).toBeUndefined()
  expect(takeVoice('carol')).toBe(carol)
  expect(asks()).toBe(false)
})

test('Locking the page drops every recording before it is loaded anew, which nothing stops', async () => {
  dropped.length = 0
  keepVoice('bob', recorded('for Bob'))
  let askedThen: boolean | undefined
  await lockNow(() => {
    askedThen = asks()
  })
  expect(askedThen).toBe(false)
  expect(dropped).toEqual(['for Bob'])
})

test('A chat that locks keeps no recording, and says so; one that is removed takes its recording along', () => {
  dropped.length = 0
  const row = { id: 'bob', preview: null, isTyping: false } as RoomRow
  keepVoice('bob', recorded('for Bob'))
  withLock(row, { lock: 'open', hasPages: true })
  expect(voiceOf('bob')).toBeDefined()
  withLock(row, { lock: 'shut', hasPages: true })
  expect(voiceOf('bob')).toBeUndefined()
  expect(toastStore.getState().queue.map(({ title }) => title)).toContain('Voice draft deleted')
  keepVoice('carol', recorded('for Carol'))
  putRooms([], ['carol'])
  expect(dropped).toEqual(['for Bob', 'for Carol'])
})
