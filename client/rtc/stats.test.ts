import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FakeConnection, openNetwork } from '../testing/rtc.ts'
import { followStats } from './stats.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('While nobody looks at the page nothing is measured', async () => {
  openNetwork()
  const page = { hidden: false }
  vi.stubGlobal('document', page)
  const connection = new FakeConnection()
  connection.stands('connected')
  const onMeasured = vi.fn()
  const stop = followStats({ connection: connection as unknown as RTCPeerConnection }, { onMeasured, onSpeaks: vi.fn() })
  await vi.advanceTimersByTimeAsync(4000)
  expect(onMeasured).toHaveBeenCalledTimes(2)
  page.hidden = true
  await vi.advanceTimersByTimeAsync(10_000)
  expect(onMeasured).toHaveBeenCalledTimes(2)
  page.hidden = false
  await vi.advanceTimersByTimeAsync(2000)
  expect(onMeasured).toHaveBeenCalledTimes(3)
  stop()
})
