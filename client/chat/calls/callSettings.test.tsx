// @vitest-environment happy-dom
import { act, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { callsApi } from '../../../contract/chat/calls.ts'
import { makeAnswers, openScreen, refused, show, toasts } from '../../testing/screen.tsx'
import { CallSettings } from './CallSettings.tsx'
import { LockedRing } from './LockedRing.tsx'
import { RingClosed } from './RingClosed.tsx'

openScreen()

function settings(hasRelay: boolean, chosen: boolean | null, hidesByDefault = hasRelay) {
  const answers = makeAnswers()
  answers.on(callsApi.settings, () => ({ ringsClosed: true, hasRelay, hidesByDefault }))
  const crypto = {
    readHideAddress: async () => chosen,
    setHideAddress: vi.fn(async () => undefined),
    sealBook: async () => undefined,
  }
  const { person } = show(<CallSettings />, answers, { crypto: crypto as never })
  return { person, crypto }
}

const hide = () => screen.findByRole('switch', { name: 'Hide my address' })

test('The address is hidden by default where an operator’s relay stands, and a press shows it', async () => {
  const { person, crypto } = settings(true, null)
  expect(await hide()).toHaveProperty('checked', true)
  await person.click(await hide())
  expect(crypto.setHideAddress).toHaveBeenCalledExactlyOnceWith(false)
  await waitFor(async () => expect(await hide()).toHaveProperty('checked', false))
  expect(screen.getByText(/it sees your network address/)).toBeTruthy()
})

test('By the relay of this machine alone the address is shown by default, and a press hides it', async () => {
  const { person, crypto } = settings(true, null, false)
  expect(await hide()).toMatchObject({ checked: false, disabled: false })
  await person.click(await hide())
  expect(crypto.setHideAddress).toHaveBeenCalledExactlyOnceWith(true)
  await waitFor(async () => expect(await hide()).toHaveProperty('checked', true))
})

test('Without a relay the switch is off and says why; who has chosen to hide may take it back', async () => {
  settings(false, null)
  expect(await hide()).toMatchObject({ checked: false, disabled: true })
  expect(screen.getByText(/This server has no relay to hide it/)).toBeTruthy()
})

test('Whoever hid the address before the relay went is told, and may take it back', async () => {
  settings(false, true)
  expect(await hide()).toMatchObject({ checked: true, disabled: false })
  expect(screen.getByText(/no call and no direct transfer connects until you allow it/)).toBeTruthy()
})

test('Rings of closed browsers are switched at the server, and a refusal changes nothing', async () => {
  const answers = makeAnswers()
  answers.on(callsApi.settings, () => ({ ringsClosed: true, hasRelay: true, hidesByDefault: true }))
  answers.on(callsApi.updateSettings, () => {
    throw refused(429, 'too_many_requests', 'Too many changes')
  })
  const { person } = show(<RingClosed />, answers)
  const line = () => screen.getByRole('switch', { name: 'Ring closed browsers' })
  await waitFor(() => expect(line()).toMatchObject({ checked: true, disabled: false }))
  await person.click(line())
  await waitFor(() => expect(toasts()[0]).toMatch(/^Nothing was changed: Too many changes/))
  expect(line()).toHaveProperty('checked', true)
})

test('A locked browser says that somebody rings, without a name, until the ringing is over', () => {
  const sockets: { onmessage?: (event: { data: string }) => void; close: () => void }[] = []
  vi.stubGlobal(
    'WebSocket',
    class {
      constructor() {
        sockets.push(this as never)
      }
      close = () => undefined
    },
  )
  show(<LockedRing />, makeAnswers())
  const callId = '33333333-3333-4333-8333-333333333333'
  const to = '11111111-1111-4111-8111-111111111111'
  const hear = (frame: unknown) => act(() => sockets[0]?.onmessage?.({ data: JSON.stringify(frame) }))
  hear({ type: 'call-offer', data: { callId, to, attempt: 1, callType: null, from: null, device: null, signal: null } })
  expect(screen.getByRole('alert').textContent).toBe('Incoming call. Unlock to see who.')
  hear({ type: 'call-end', data: { callId, to, reason: 'no_answer', from: null } })
  expect(screen.queryByRole('alert')).toBeNull()
  vi.unstubAllGlobals()
})
