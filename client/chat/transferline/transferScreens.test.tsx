// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Env } from '../../env.ts'
import { accountStore } from '../../me/account/accountState.ts'
import { connectionStore } from '../../net/status.ts'
import { putRooms, resetRooms } from '../../rooms/list/roomList.ts'
import { putPeople } from '../../rooms/trust/people.ts'
import { makeAnswers, openScreen, refused, show, toasts } from '../../testing/screen.tsx'
import { ALICE_ID, BOB_ID, ROOM_ID, shownBob, shownRoom } from '../../testing/shown.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { openedStore } from '../files/openedFiles.ts'
import { UNSUPPORTED } from './hasDirect.ts'
import { heldTransfer } from './heldTransfer.ts'
import { TransferDialog } from './TransferDialog.tsx'
import { TransferLine } from './TransferLine.tsx'
import { changeTransfer, forgetReceived, type Transfer, transferStore } from './transferState.ts'
import { handTransferVerbs, type SaidTransfer, type TransferConsent } from './transferVerbs.ts'

const verb = async (_: Env, __: string, ___?: TransferConsent): Promise<void> => undefined
const verbs = {
  knowTransfer: vi.fn(async (_: Env, __: SaidTransfer, ___?: unknown): Promise<void> => undefined),
  offerFiles: vi.fn(async (_: Env, __: string, ___: File[]): Promise<void> => undefined),
  ...{ acceptTransfer: vi.fn(verb), declineTransfer: vi.fn(verb), pauseTransfer: vi.fn(verb), cancelTransfer: vi.fn(verb) },
  receivedFile: vi.fn(async (_: Env, __: string): Promise<Blob | undefined> => undefined),
}
handTransferVerbs(async () => verbs)

openScreen()

const MIB = 1024 * 1024
const ID = '33333333-3333-4333-8333-333333333333'

function transfer(about: Partial<Transfer> = {}, name = 'scans.zip'): Transfer {
  const content = { type: 'transfer' as const, transferId: ID, name, mediaType: 'application/zip', sizeBytes: 96 * MIB, hash: '' }
  return {
    ...{ content, chatRoomId: ROOM_ID, peerId: BOB_ID, isMine: false, isHere: true, isKept: true, stage: 'offered' as const },
    ...{ movedBytes: 0, bytesPerSecond: null, secondsLeft: null, isRelayed: null, refusal: null, end: null },
    ...about,
  }
}

const put = (...list: Transfer[]) =>
  transferStore.setState({ transfers: new Map(list.map((one) => [one.content.transferId, one])) })

beforeEach(() => {
  vi.resetAllMocks()
  vi.stubGlobal('RTCPeerConnection', class {})
  transferStore.setState({ transfers: new Map(), asked: null })
  openedStore.setState({ urls: new Map(), parts: {} })
  resetRooms()
  const user = { id: ALICE_ID, username: 'alice', displayName: 'Alice', profileImageUrl: null, subscriptionTier: 'premium' }
  accountStore.setState({ user: user as never })
  putPeople([shownBob])
  putRooms([shownRoom])
})

const crypto = (isOnDisk = true) => ({ keptFiles: async () => ({ rooms: [], waitingBytes: 0, isOnDisk }) }) as never

const AT = '2026-11-26T11:00:00Z'

/** `unknown`: what the worker answers about a transfer that the page does not know yet. */
function line(now: Transfer, unknown?: object) {
  if (!unknown) put(now)
  const body = { transfer: now.content, chatRoomId: ROOM_ID }
  const message = { seq: 3, isMine: now.isMine, at: AT }
  return show(<TransferLine {...{ message, body }} meta={<time>12:00</time>} />, makeAnswers(), { crypto: unknown as never })
}

function dialog(files: File[] = [], isOnDisk = true) {
  transferStore.setState({ asked: { chatRoomId: ROOM_ID, files } })
  return show(<TransferDialog chatRoomId={ROOM_ID} nextFocus={() => next} />, makeAnswers(), { crypto: crypto(isOnDisk) })
}

const next = document.createElement('textarea')

const button = (name: string) => screen.getByRole('button', { name })
const change = (to: Partial<Transfer>) => act(() => changeTransfer(ID, to))
const stage = () => document.querySelector('.transfer-stage')?.textContent
const spoken = () => screen.getByRole('status').textContent

function sized(name: string, sizeBytes: number): File {
  const file = new File(['x'], name)
  Object.defineProperty(file, 'size', { value: sizeBytes })
  return file
}

test('An offer is accepted or declined in the chat, by buttons that name the file', async () => {
  const { person, env } = line(transfer())
  expect(screen.getByText('scans.zip')).toBeTruthy()
  expect(screen.getByText('96.0 MB')).toBeTruthy()
  await person.click(button('Accept scans.zip'))
  expect(verbs.acceptTransfer).toHaveBeenCalledExactlyOnceWith(env, ID, {})
  await person.click(button('Decline scans.zip'))
  expect(verbs.declineTransfer).toHaveBeenCalledExactlyOnceWith(env, ID)
})

test('What moves has a bar with its words, speed and time left, is paused, goes on and is cancelled', async () => {
  const { person } = line(transfer({ stage: 'moving', movedBytes: 48 * MIB, bytesPerSecond: 2 * MIB, secondsLeft: 24 }))
  const bar = screen.getByRole('progressbar', { name: 'scans.zip, received' })
  expect(bar.getAttribute('aria-valuetext')).toBe('50 %, 24 s left')
  expect(screen.getByText('48.0 of 96.0 MB')).toBeTruthy()
  expect(stage()).toBe('Receiving · 2.0 MB/s24 s left')
  await person.click(button('Pause scans.zip'))
  expect(verbs.pauseTransfer).toHaveBeenCalledOnce()
  change({ stage: 'paused', bytesPerSecond: null, secondsLeft: null })
  expect(document.activeElement).toBe(button('Go on with scans.zip'))
  await person.click(button('Go on with scans.zip'))
  expect(verbs.acceptTransfer).toHaveBeenCalledOnce()
  await person.click(button('Cancel scans.zip'))
  expect(verbs.cancelTransfer).toHaveBeenCalledOnce()
})

test('Each state and each end has its words on both sides', () => {
  line(transfer())
  const sides: [Partial<Transfer>, string, string][] = [
    [{ stage: 'offered' }, 'Offered to you', 'Waits for Bob to accept it'],
    [{ stage: 'waiting' }, 'Waits for Bob to be here', 'Waits for Bob to be here'],
    [{ stage: 'connecting' }, 'Connecting to Bob’s browser', 'Connecting to Bob’s browser'],
    [{ stage: 'moving' }, 'Receiving', 'Sending'],
    [{ stage: 'moving', isPausedThere: true }, 'Paused by Bob', 'Paused by Bob'],
    [{ stage: 'paused', isPausedThere: false }, 'Paused', 'Paused'],
    [{ stage: 'elsewhere' }, 'Accepted in another browser', 'Offered from another browser of yours'],
    [{ stage: 'over', end: 'expired' }, 'Expired', 'Expired'],
    [{ stage: 'over', end: 'declined' }, 'Declined', 'Declined'],
    [{ stage: 'over', end: 'cancelled' }, 'Cancelled', 'Cancelled'],
    [{ stage: 'over', end: 'changed' }, 'The file changed on Bob’s device', 'The file changed on your device'],
    [
      { stage: 'over', end: 'forged' },
      'What came is not what was offered, nothing was saved',
      'What arrived was not what you offered, and was not saved',
    ],
  ]
  for (const [to, theirs, mine] of sides) {
    change({ ...to, isMine: false })
    expect(stage()).toBe(theirs)
    change({ isMine: true })
    expect(stage()).toBe(mine)
    const hasButtons = ['offered', 'waiting', 'connecting', 'moving', 'paused'].includes(to.stage ?? '')
    expect(screen.queryAllByRole('button').length > 0).toBe(hasButtons)
  }
})

test('A name keeps its own direction in the sentence, and so does that of the file', () => {
  putPeople([{ ...shownBob, displayName: 'ليلى' }])
  line(transfer({ stage: 'waiting' }, 'تقرير.pdf'))
  expect([...document.querySelectorAll('bdi')].map(({ textContent }) => textContent)).toEqual(['تقرير.pdf', 'ليلى'])
  expect(stage()).toBe('Waits for ليلى to be here')
})

test('A screen reader hears the stages, and neither figures nor what a toast tells', () => {
  line(transfer({ stage: 'waiting' }))
  expect(spoken()).toBe('')
  change({ stage: 'connecting' })
  expect(spoken()).toBe('Connecting to Bob’s browser')
  change({ stage: 'moving', movedBytes: MIB, bytesPerSecond: MIB, secondsLeft: 95 })
  expect(spoken()).toBe('')
  change({ movedBytes: 2 * MIB, secondsLeft: 94 })
  expect(spoken()).toBe('')
  change({ stage: 'paused' })
  expect(spoken()).toBe('Paused')
  change({ stage: 'moving' })
  change({ movedBytes: 3 * MIB })
  expect(spoken()).toBe('Receiving')
  change({ stage: 'done' })
  expect(spoken()).toBe('')
  change({ stage: 'over', end: 'forged' })
  expect(spoken()).toBe('What came is not what was offered, nothing was saved')
})

test('A transfer that would show the address asks first, and goes on with all that was allowed', async () => {
  const { person, env } = line(transfer())
  vi.mocked(verbs.acceptTransfer).mockImplementation(async (_, id, { leavesTor, allowsDirect } = {}) =>
    changeTransfer(id, { refusal: !leavesTor ? 'leaves_tor' : allowsDirect ? null : 'no_relay' }),
  )
  await person.click(button('Accept scans.zip'))
  expect(await screen.findByText('A direct transfer would leave Tor: the relay would see your address.')).toBeTruthy()
  await waitFor(() => expect(document.activeElement).toBe(button('Not now')))
  await person.click(button('Allow for this file'))
  expect(await screen.findByText('This transfer would show your address')).toBeTruthy()
  await person.click(button('Allow for this file'))
  expect(verbs.acceptTransfer).toHaveBeenLastCalledWith(env, ID, { leavesTor: true, allowsDirect: true })
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('Where no transfer leaves Tor it says so and asks nothing: what is offered is declined, what was begun is cancelled', async () => {
  line(transfer({ refusal: 'tor_required' }))
  expect(screen.getByRole('alert').textContent).toContain('This server lets no direct transfer leave Tor.')
  expect(screen.queryByRole('button', { name: 'Accept scans.zip' })).toBeNull()
  expect(button('Decline scans.zip')).toBeTruthy()
  cleanup()
  line(transfer({ refusal: 'tor_required', stage: 'waiting' }))
  expect(screen.queryByRole('button', { name: 'Decide' })).toBeNull()
  expect(button('Cancel scans.zip')).toBeTruthy()
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('Where the browser has no WebRTC it says so and asks nothing, on the line and before any file is chosen', async () => {
  line(transfer({ refusal: 'unsupported' }))
  expect(screen.getByRole('alert').textContent).toBe(UNSUPPORTED)
  expect(screen.queryByRole('button', { name: 'Accept scans.zip' })).toBeNull()
  expect(button('Decline scans.zip')).toBeTruthy()
  cleanup()
  vi.stubGlobal('RTCPeerConnection', undefined)
  const { person } = dialog([sized('scans.zip', 20 * MIB)])
  expect(screen.getByRole('dialog', { name: 'Send directly to Bob', description: UNSUPPORTED })).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Send' })).toBeNull()
  await waitFor(() => expect(document.activeElement).toBe(screen.getByText('Close')))
  await person.keyboard('{Escape}')
  expect(transferStore.getState().asked).toBeNull()
})

test('A question that was put off is asked again by Accept, and allows nothing by itself', async () => {
  const { person } = line(transfer({ refusal: 'shows_address' }))
  expect(screen.queryByRole('dialog')).toBeNull()
  await person.click(button('Accept scans.zip'))
  expect(verbs.acceptTransfer).not.toHaveBeenCalled()
  await person.click(button('Not now'))
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(verbs.acceptTransfer).not.toHaveBeenCalled()
})

test('What was just offered asks at once, and once for all of it', async () => {
  const { person, env } = dialog([sized('a.zip', MIB), sized('b.zip', MIB)])
  const other = { ...transfer({ isMine: true, refusal: 'shows_address' }, 'b.zip') }
  vi.mocked(verbs.offerFiles).mockImplementationOnce(async () => {
    transferStore.setState({ asked: { chatRoomId: ROOM_ID, files: [] } })
    put(transfer({ isMine: true, refusal: 'shows_address' }), { ...other, content: { ...other.content, transferId: 'b' } })
  })
  await person.click(button('Send'))
  const question = await screen.findByRole('dialog', { name: 'Bob’s browser will see your network address.' })
  await person.click(within(question).getByRole('button', { name: 'Send' }))
  expect(verbs.acceptTransfer).toHaveBeenCalledExactlyOnceWith(env, ID, { allowsDirect: true })
})

test('A used up relay says direct or later; no room and a failed connection say so and are tried again', async () => {
  const { person, env } = line(transfer({ stage: 'waiting', refusal: 'relay_limit' }))
  expect(screen.getByRole('alert').textContent).toMatch(/gigabyte of today is used up. Connect directly, or later/)
  await person.click(button('Decide'))
  await person.click(button('Connect directly'))
  expect(verbs.acceptTransfer).toHaveBeenLastCalledWith(env, ID, { allowsDirect: true })
  change({ refusal: 'no_room' })
  expect(screen.getByRole('alert').textContent).toBe('This browser has no room for 96.0 MB. Make room, then try again.')
  change({ refusal: 'failed' })
  await person.click(button('Try again'))
  expect(verbs.acceptTransfer).toHaveBeenCalledTimes(2)
})

test('A picture that was received opens under its own type, a page is only saved under a type that no browser opens', async () => {
  const created = vi.spyOn(URL, 'createObjectURL')
  const png = Uint8Array.from(atob(PIXEL), (character) => character.charCodeAt(0))
  vi.mocked(verbs.receivedFile).mockResolvedValue(new Blob([png]))
  const done = transfer({ stage: 'done' }, 'beach.png')
  const { person, env } = line({ ...done, content: { ...done.content, mediaType: 'image/png' } })
  await person.click(button('Open beach.png'))
  expect(await screen.findByRole('img', { name: 'beach.png' })).toBeTruthy()
  expect(created.mock.lastCall?.[0]).toHaveProperty('type', 'image/png')
  await person.click(button('Close'))
  const page = { ...done, content: { ...done.content, name: 'page.svg', mediaType: 'image/svg+xml' } }
  expect(await heldTransfer(page).read?.(env)).toHaveProperty('type', 'application/octet-stream')
  act(() => put(page))
  expect(screen.queryByRole('button', { name: 'Open page.svg' })).toBeNull()
  await person.click(button('Save page.svg'))
  await waitFor(() => expect(created.mock.lastCall?.[0]).toHaveProperty('type', 'application/octet-stream'))
})

test('A film that was received plays in its place, and the keyboard goes with it', async () => {
  vi.mocked(verbs.receivedFile).mockResolvedValue(new Blob(['film']))
  const done = transfer({ stage: 'done' }, 'film.webm')
  const { person } = line({ ...done, content: { ...done.content, mediaType: 'video/webm' } })
  act(() => button('Play film.webm').focus())
  await person.keyboard('{Enter}')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('film.webm', { selector: 'video' })))
})

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('What is not in this browser any more is said by name, and nothing is saved', async () => {
  const { person } = line(transfer({ stage: 'done' }))
  await person.click(button('Save scans.zip'))
  await waitFor(() =>
    expect(toasts()).toEqual(['File not available: scans.zip: It is not in this browser any more, and no server has it.']),
  )
  expect(stage()).toBe('Received. It is not in this browser.')
  expect(screen.queryByRole('button')).toBeNull()
})

test('Of what was cleared the line offers nothing', () => {
  line(transfer({ stage: 'done' }))
  expect(button('Save scans.zip')).toBeTruthy()
  act(() => forgetReceived(['another']))
  expect(button('Save scans.zip')).toBeTruthy()
  act(() => forgetReceived([ROOM_ID]))
  expect(stage()).toBe('Received. It is not in this browser.')
  expect(screen.queryByRole('button')).toBeNull()
})

test('A message whose transfer this page does not know is looked up with what this browser keeps, and offers nothing before', async () => {
  const now = transfer()
  const row = { ...now, stage: 'done', have: 1, at: '' }
  const { env } = line(now, { transferRows: async () => [{ ...row, chatRoomId: 'another' }, row] })
  expect(stage()).toBe('Direct transfer')
  expect(screen.queryByRole('button')).toBeNull()
  const said = { content: now.content, chatRoomId: ROOM_ID, isMine: false, at: AT }
  await waitFor(() => expect(verbs.knowTransfer).toHaveBeenCalledExactlyOnceWith(env, said, row))
})

test('The dialog says limit, ways and addresses, and sends what was chosen', async () => {
  const { person, env } = dialog()
  const { getByText } = within(screen.getByRole('dialog', { name: 'Send directly to Bob' }))
  expect(getByText(/Up to 100 MB.*No server stores it: both browsers must be open/)).toBeTruthy()
  expect(document.body.textContent).toContain('Bob’s browser may see your network address unless “Hide my address” is on.')
  expect(spoken()).toBe('Bob is here')
  await waitFor(() =>
    expect(document.activeElement).toBe(button('Choose files, or drop them here They go once accepted, and go on after a break')),
  )
  expect(button('Send')).toHaveProperty('disabled', true)
  const [film, zip] = [sized('film.mp4', 60 * MIB), sized('scans.zip', 100 * MIB - 1)]
  await person.upload(screen.getByLabelText('Files to send directly'), [film, zip])
  await person.click(button('Leave out film.mp4'))
  vi.mocked(verbs.offerFiles).mockImplementationOnce(async () =>
    transferStore.setState({ asked: { chatRoomId: ROOM_ID, files: [] } }),
  )
  await person.click(button('Send'))
  expect(verbs.offerFiles).toHaveBeenCalledExactlyOnceWith(env, ROOM_ID, [zip])
  await waitFor(() => expect(screen.queryByText('scans.zip')).toBeNull())
})

test('The keyboard goes from the choice to Send, and from there to the writer', async () => {
  document.body.append(next)
  const { person } = dialog()
  const hasFocus = (name: string) => waitFor(() => expect(document.activeElement).toBe(button(name)))
  await hasFocus('Choose files, or drop them here They go once accepted, and go on after a break')
  const files = [sized('film.mp4', MIB), sized('scans.zip', MIB)]
  fireEvent.change(screen.getByLabelText('Files to send directly'), { target: { files } })
  await hasFocus('Send')
  act(() => button('Leave out film.mp4').focus())
  await person.keyboard('{Enter}')
  await hasFocus('Send')
  vi.mocked(verbs.offerFiles).mockImplementationOnce(async () => {
    transferStore.setState({ asked: { chatRoomId: ROOM_ID, files: [] } })
    put(transfer({ isMine: true }))
  })
  await person.keyboard('{Enter}')
  await hasFocus('Send another')
  act(() => transferStore.setState({ asked: null }))
  cleanup()
  await waitFor(() => expect(document.activeElement).toBe(next))
  next.remove()
})

test('Opened again, the dialog has the keyboard', async () => {
  put(transfer({ isMine: true }))
  dialog()
  await waitFor(() => expect(document.activeElement).toBe(button('Send another')))
})

test('A hundred megabytes, an empty file and a folder are refused by name', async () => {
  dialog([sized('film.mkv', 100 * MIB), sized('none.txt', 0)])
  const alert = () => screen.getByRole('alert').textContent
  expect(alert()).toContain('File size must be under 100MB for P2P transfer “film.mkv”')
  expect(alert()).toContain('“none.txt” has nothing in it')
  const item = (file: File, isDirectory: boolean) => ({
    ...{ kind: 'file', getAsFile: () => file, webkitGetAsEntry: () => ({ isDirectory, name: file.name }) },
  })
  const items = [item(sized('holiday', 4096), true), item(sized('plan.pdf', 20 * MIB), false)]
  fireEvent.drop(screen.getByText('Choose files, or drop them here'), { dataTransfer: { items, files: [] } })
  expect(alert()).toBe('Folders cannot be sent “holiday” is a folder. Pack it into one file first.')
  expect(screen.getByText('plan.pdf')).toBeTruthy()
  expect(button('Send')).toHaveProperty('disabled', false)
})

test('The dialog lists what asks first, then what moves and what is over, and says how it is connected', () => {
  const as = (id: number, about: Partial<Transfer>, name: string) => {
    const one = transfer(about, name)
    return { ...one, content: { ...one.content, transferId: `${id}` } }
  }
  put(
    as(1, { stage: 'over', end: 'declined' }, 'over.zip'),
    as(2, { stage: 'moving', isRelayed: true, isMine: true }, 'moving.zip'),
    as(3, { stage: 'offered' }, 'offered.zip'),
    { ...as(4, {}, 'elsewhere.zip'), chatRoomId: 'another' },
  )
  dialog()
  const list = screen.getByRole('list', { name: 'Transfers' })
  expect(
    within(list)
      .getAllByRole('listitem')
      .map((one) => one.querySelector('bdi')?.textContent),
  ).toEqual([...['offered.zip', 'moving.zip', 'over.zip']])
  expect(spoken()).toBe('Secure connection established · through the relay')
  act(() => connectionStore.setState({ phase: 'connecting' }))
  expect(spoken()).toBe('You are not connected. Files go on once the connection is back.')
})

test('What could not be offered stays chosen, with the reason; a free account is offered the plans', async () => {
  const { person } = dialog([sized('scans.zip', 20 * MIB)])
  vi.mocked(verbs.offerFiles).mockRejectedValueOnce(new CryptoFailure('quota', 'This browser has no room left'))
  await person.click(button('Send'))
  expect(await screen.findByText('This browser has no room left')).toBeTruthy()
  expect(toasts()).toEqual(['Transfer Failed: Failed to initiate secure file transfer'])
  expect(screen.getByText('scans.zip')).toBeTruthy()
  vi.mocked(verbs.offerFiles).mockRejectedValueOnce(refused(403, 'subscription_required', 'no'))
  await person.click(button('Send'))
  expect(await screen.findByRole('dialog', { name: 'Subscription Required' })).toBeTruthy()
})

test('A browser that keeps nothing says before that it all ends with the tab', async () => {
  put(transfer({ isKept: false }))
  dialog([], false)
  expect(await screen.findByText(/what you offer ends with this tab/)).toBeTruthy()
  expect(screen.getByText('This browser keeps nothing, as in a private window: it ends with this tab.')).toBeTruthy()
})
