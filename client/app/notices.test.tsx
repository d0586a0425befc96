// @vitest-environment happy-dom
import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { sessionsApi } from '../../contract/account/sessions.ts'
import { codesApi } from '../../contract/chat/contactcodes.ts'
import { changePrefs } from '../alerts/notifications/newsPrefs.ts'
import { accountStore } from '../me/account/accountState.ts'
import { waysStore } from '../me/account/ways.ts'
import { signInsStore } from '../me/sessions/store.ts'
import { InviteDialog } from '../people/contactcodes/InviteDialog.tsx'
import { resetCodes, type ShownUse, usesStore } from '../people/contactcodes/store.ts'
import { held, makeAnswers, openScreen, show } from '../testing/screen.tsx'
import { NoticeLine } from './NoticeLine.tsx'

openScreen()

const ALICE = { id: '9d3c7a52-0f51-4a7e-9e0b-1c6f3f5d0b01', username: 'alice', displayName: 'Alice' }
const DAY_MS = 24 * 60 * 60 * 1000
const START = new Date('2026-11-20T10:00:00.000Z')

beforeEach(() => {
  localStorage.clear()
  accountStore.setState({ phase: 'signed_in', user: ALICE as never, notice: null })
  waysStore.setState({ userId: ALICE.id, ways: { kit: null } as never, factors: null, failure: null })
  signInsStore.setState({ signIns: [] })
  resetCodes()
  changePrefs({ offer: 'not_yet' })
})

const signIn = () =>
  signInsStore.setState({
    signIns: [
      {
        ...{ id: ALICE.id, browser: 'Chrome', system: 'Windows', ingress: 'direct' as const, signedInAt: START.toISOString() },
        ...{ deviceId: null, copiedPasskey: null, isLive: true },
      },
    ],
  })
const use = { id: ALICE.id, username: 'carol', displayName: 'Carol', userId: 'c', proven: true } as unknown as ShownUse

function line({ at = START, ...more }: Partial<Parameters<typeof NoticeLine>[0]> & { at?: Date } = {}) {
  const answers = makeAnswers()
  answers.on(sessionsApi.answerSignIns, () => ({}))
  answers.on(codesApi.uses, () => held<[]>().promise)
  const onGo = vi.fn()
  return { onGo, answers, ...show(<NoticeLine tier="free" onGo={onGo} {...more} />, answers, { clock: () => at }) }
}
const told = () => screen.queryByRole('status', { name: 'Notices', hidden: true })?.textContent
const dialogOf = async (name: string) => within(await screen.findByRole('dialog', { name }))

test('Alone a notice is told in its own words; several are counted in one line, and none is none', async () => {
  line()
  expect(told()).toBe('You have no recovery kit')
  act(signIn)
  expect(told()).toBe('2 things for you')
  act(() => waysStore.setState({ ways: { kit: {} } as never }))
  expect(told()).toBe('New sign-in: Chrome on Windows')
  act(() => signInsStore.setState({ signIns: [] }))
  expect(told()).toBe('')
})

test('Later puts off a kit and an offer for a day, in a reload too; a sign-in stays until it is answered', async () => {
  const first = line()
  act(signIn)
  act(() => changePrefs({ offer: 'due' }))
  await first.person.click(screen.getByRole('button', { name: '3 things for you' }))
  const sheet = await dialogOf('3 things for you')
  expect(sheet.getAllByRole('listitem').map((item) => item.querySelector('b')?.textContent)).toEqual([
    expect.stringMatching(/^New sign-in: Chrome on Windows, /),
    'You have no recovery kit',
    'A message came while you were elsewhere',
  ])
  await first.person.click(sheet.getByRole('button', { name: 'Later' }))
  expect(told()).toContain('New sign-in: Chrome on Windows')
  const left = await dialogOf('One thing for you')
  expect(left.queryByRole('button', { name: 'Later' })).toBeNull()
  await first.person.click(left.getByRole('button', { name: /^It was me/ }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(told()).toBe('')

  first.again(null)
  line({ at: new Date(START.getTime() + DAY_MS - 60_000) })
  expect(told()).toBe('')
})

test('What was put off comes back after a day', () => {
  localStorage.setItem('put-off', `${START.getTime() + DAY_MS} kit`)
  line({ at: new Date(START.getTime() + DAY_MS + 1000) })
  expect(told()).toBe('You have no recovery kit')
})

test('Each notice waits its own day: one that is put off later keeps none of the others away', async () => {
  const laterOf = async (hours: number, puts: boolean) => {
    const { person, again } = line({ at: new Date(START.getTime() + hours * (DAY_MS / 24)) })
    const words = told()
    if (puts) {
      await person.click(screen.getByRole('button', { name: words ?? '' }))
      await person.click(await screen.findByRole('button', { name: 'Later' }))
    }
    again(null)
    return words
  }
  expect(await laterOf(0, true)).toBe('You have no recovery kit')
  act(() => changePrefs({ offer: 'due' }))
  expect(await laterOf(20, true)).toBe('A message came while you were elsewhere')
  expect(await laterOf(23, false)).toBe('')
  expect(await laterOf(25, false)).toBe('You have no recovery kit')
})

test('What the screen beside says is not said again: the kit on the welcome, and on the settings all but safety', () => {
  const { again } = line({ isKitSaid: true })
  expect(told()).toBe('')
  again(null)
  line({ isSafetyOnly: true })
  expect(told()).toBe('')
  act(signIn)
  expect(told()).toBe('New sign-in: Chrome on Windows')
})

test('A code redeemed while it is on the screen asks one thing there, and the line is silent', async () => {
  waysStore.setState({ ways: { kit: {} } as never })
  const { again, answers } = line()
  usesStore.setState({ uses: [use] })
  await waitFor(() => expect(told()).toBe('Is Carol here with you?'))
  answers.on(codesApi.current, () => ({
    qrToken: null,
    expiresAt: null,
    serverTime: START.toISOString(),
    usageCount: 0,
    maxUsage: null,
  }))
  answers.on(codesApi.generate, () => {
    throw new Error('no code here')
  })
  again(
    <>
      <NoticeLine tier="free" onGo={vi.fn()} />
      <InviteDialog user={ALICE as never} onClose={vi.fn()} />
    </>,
  )
  const dialog = await dialogOf('My Contact QR Code')
  expect(dialog.getByText('Is Carol here with you?')).toBeTruthy()
  expect(dialog.getByRole('button', { name: 'Yes, add and verify @carol' })).toBeTruthy()
  expect(dialog.getByRole('button', { name: 'No, it was not @carol' })).toBeTruthy()
  expect(screen.getAllByText('Is Carol here with you?')).toHaveLength(1)
})
