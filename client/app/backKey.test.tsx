// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { navigate } from 'wouter/use-browser-location'
import { addStep } from '../ui/steps.ts'
import { followBack } from './backKey.ts'
import { leaveChat } from './leaveChat.ts'

let stop = (): void => undefined
const here = () => location.pathname + location.search
const toList = () => leaveChat(true)

beforeEach(() => {
  navigate('/')
  stop = followBack()
})
afterEach(() => stop())

test('A chat that was opened from the list lies over it: the way back to the contacts is a step back', () => {
  navigate('/chat')
  navigate('/chat/bob')
  toList()
  expect(here()).toBe('/chat')
})

test.each(['/settings?tab=profile', '/subscribe?paid=no', '/home', '/admin', '/invitation/a'])(
  'A chat that was opened from “%s” leads back to the contacts, not into a circle; Back returns there',
  (page) => {
    navigate(page)
    // The link of a payment that was not made, or a call that was put aside.
    navigate('/chat/bob')
    toList()
    expect(here()).toBe('/')
    history.back()
    expect(here()).toBe('/chat/bob')
    history.back()
    expect(here()).toBe(page)
  },
)

test('A chat whose own address is opened first has the list beneath it, once', () => {
  stop()
  navigate('/chat/bob')
  stop = followBack()
  stop()
  stop = followBack()
  history.back()
  expect(here()).toBe('/')
})

test('A chat after a payment still knows of it when the list is put beneath', () => {
  stop()
  navigate('/chat/bob', { state: { paid: 'yes' } })
  stop = followBack()
  expect(history.state).toEqual({ list: true, paid: 'yes' })
})

test('A chat that is loaded anew without a list beneath has one entry above it, whatever was open: its way back is a step', () => {
  stop()
  navigate('/chat/bob', { state: { paid: 'yes', steps: 1 } })
  stop = followBack()
  expect(history.state).toEqual({ list: true, paid: 'yes' })
  toList()
  expect(here()).toBe('/')
})

test('A chat that takes the place of the plans after a payment has the list beneath it', () => {
  navigate('/subscribe?paid=yes')
  navigate('/chat/bob', { replace: true, state: { paid: 'yes' } })
  expect(history.state).toEqual({ list: true, paid: 'yes' })
  history.back()
  expect(here()).toBe('/')
})

test('A chat that takes the place of another lies over the same list', () => {
  navigate('/chat/bob')
  navigate('/chat/carol', { replace: true })
  expect(history.state).toEqual({ list: true })
  history.back()
  expect(here()).toBe('/')
})

test('Another chat that is chosen in a dialog over one keeps its steps: one way back to the contacts, and one Back', () => {
  const chooses = (chat: string) => {
    const close = addStep('over', () => undefined)
    navigate(chat, { replace: true })
    close()
  }
  for (const leave of [toList, () => history.back()]) {
    navigate('/')
    navigate('/chat/bob')
    chooses('/chat/carol')
    expect(history.state).toEqual({ list: true, steps: 1 })
    leave()
    expect(here()).toBe('/')
  }
})

test('What is open while its page takes another address is still one step', () => {
  navigate('/settings?tab=plan')
  let isOpen = true
  const close = addStep('over', () => {
    isOpen = false
    close()
  })
  navigate('/settings?tab=devices', { replace: true })
  expect(history.state).toEqual({ steps: 1 })
  history.back()
  expect([isOpen, here()]).toEqual([false, '/settings?tab=plan'])
})

test('What refuses to close has its entry again, and the next Back leads to it once more', async () => {
  navigate('/chat/bob')
  let isPending = true
  const refuse = vi.fn(() => isPending || close())
  const close = addStep('over', refuse)
  history.back()
  expect(refuse).toHaveBeenCalledOnce()
  await vi.waitFor(() => expect(history.state).toEqual({ list: true, steps: 1 }))
  isPending = false
  history.back()
  expect(refuse).toHaveBeenCalledTimes(2)
  expect([here(), history.state]).toEqual(['/chat/bob', { list: true }])
  history.back()
  expect(here()).toBe('/')
})
