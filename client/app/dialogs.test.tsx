// @vitest-environment happy-dom
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { act, screen, waitFor } from '@testing-library/react'
import { type ReactNode, useRef, useState } from 'react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { useStore } from 'zustand'
import { familyApi } from '../../contract/account/family.ts'
import { sessionsApi } from '../../contract/account/sessions.ts'
import { adminApi } from '../../contract/admin/admin.ts'
import { adminPackagesApi } from '../../contract/admin/adminpackages.ts'
import { notesRoomId } from '../../contract/ground/shapes.ts'
import { coinsApi } from '../../contract/money/coins.ts'
import { CoinReview } from '../admin/CoinReview.tsx'
import { FirstAdministrator } from '../admin/FirstAdministrator.tsx'
import { PackageDialog } from '../admin/PackageDialog.tsx'
import { PackagesTab } from '../admin/PackagesTab.tsx'
import { SentBack } from '../admin/SentBack.tsx'
import { UserRows } from '../admin/UserRows.tsx'
import { BellPanel } from '../alerts/notifications/BellPanel.tsx'
import { MuteDialog } from '../alerts/notifications/MuteDialog.tsx'
import { CallList } from '../chat/calls/CallList.tsx'
import { CallOverlay } from '../chat/calls/CallOverlay.tsx'
import { CallRefused } from '../chat/calls/CallRefused.tsx'
import { callStore, resetCall } from '../chat/calls/callState.ts'
import { TestConnection } from '../chat/calls/TestConnection.tsx'
import { RemovePassword } from '../chat/chatlocks/EnterPassword.tsx'
import { OpenClaimed } from '../chat/chatlocks/OpenClaimed.tsx'
import { ChangePassword, SetAgain, SetPassword } from '../chat/chatlocks/SetPassword.tsx'
import { EmojiPicker } from '../chat/emoji/EmojiPicker.tsx'
import { AttachDialog } from '../chat/files/AttachDialog.tsx'
import { Storage } from '../chat/files/Storage.tsx'
import { Viewer } from '../chat/files/Viewer.tsx'
import { SharedFiles } from '../chat/gallery/SharedFiles.tsx'
import { Attach } from '../chat/messages/Attach.tsx'
import { DayDialog } from '../chat/messages/DayDialog.tsx'
import { DeleteMessage } from '../chat/messages/DeleteMessage.tsx'
import { ForwardDialog } from '../chat/messages/ForwardDialog.tsx'
import { MessageActs } from '../chat/messages/MessageActs.tsx'
import { MessageDetails } from '../chat/messages/MessageDetails.tsx'
import type { ShownMessage } from '../chat/messages/store.ts'
import { OnceViewer } from '../chat/once/OnceViewer.tsx'
import { StarredDialog } from '../chat/stars/StarredDialog.tsx'
import { TimerDialog } from '../chat/timers/TimerDialog.tsx'
import { TransferDialog } from '../chat/transferline/TransferDialog.tsx'
import { TransferQuestion } from '../chat/transferline/TransferQuestion.tsx'
import { askTransfer, endTransferAsk, transferStore } from '../chat/transferline/transferState.ts'
import { accountStore } from '../me/account/accountState.ts'
import { LogoutDialog } from '../me/account/LogoutDialog.tsx'
import { waysStore } from '../me/account/ways.ts'
import { LockOffDialog } from '../me/browserlock/LockOffDialog.tsx'
import { SwitchOnDialog } from '../me/browserlock/SwitchOnDialog.tsx'
import { RenameDevice } from '../me/devices/RenameDevice.tsx'
import { CameraDialog } from '../me/photo/CameraDialog.tsx'
import { CropDialog } from '../me/photo/CropDialog.tsx'
import { ConfirmDialog } from '../me/security/ConfirmDialog.tsx'
import { DeleteAccount } from '../me/security/DeleteAccount.tsx'
import { WayDialog } from '../me/security/WayDialog.tsx'
import { SessionsPage } from '../me/sessions/SessionsPage.tsx'
import { ApiError } from '../net/api.ts'
import { InviteDialog } from '../people/contactcodes/InviteDialog.tsx'
import { ScanDialog } from '../people/contactcodes/ScanDialog.tsx'
import { AddContactDialog } from '../people/contacts/AddContactDialog.tsx'
import { AddMenu } from '../people/contacts/AddMenu.tsx'
import { BlockContact, UnblockContact } from '../people/contacts/BlockContact.tsx'
import { ClearChat } from '../people/contacts/ClearChat.tsx'
import { DeleteChat } from '../people/contacts/DeleteChat.tsx'
import { NameContact } from '../people/contacts/NameContact.tsx'
import { NotesMenu } from '../people/contacts/NotesMenu.tsx'
import { RemoveContact } from '../people/contacts/RemoveContact.tsx'
import { ReportContact } from '../people/contacts/ReportContact.tsx'
import { RowMenu } from '../people/contacts/RowMenu.tsx'
import { CoinDialog } from '../plan/coins/CoinDialog.tsx'
import { CoinPart } from '../plan/coins/CoinPart.tsx'
import { LinkDialog } from '../plan/family/LinkDialog.tsx'
import { Members } from '../plan/family/Members.tsx'
import { Membership } from '../plan/family/Membership.tsx'
import { BuyDialog } from '../plan/plans/BuyDialog.tsx'
import { ChangeDialog } from '../plan/plans/ChangeDialog.tsx'
import { CheckoutDialog } from '../plan/plans/CheckoutDialog.tsx'
import { LeavingTor } from '../plan/plans/LeavingTor.tsx'
import { leavingStore } from '../plan/plans/leaving.ts'
import { RefundDialog } from '../plan/plans/RefundDialog.tsx'
import { UpgradeDialog } from '../plan/plans/UpgradeDialog.tsx'
import { putRooms, resetRooms } from '../rooms/list/roomList.ts'
import { ForkQuestion } from '../rooms/log/ForkQuestion.tsx'
import { ChangedPerson } from '../rooms/trust/ChangedPerson.tsx'
import { ChooseKey } from '../rooms/trust/ChooseKey.tsx'
import { ContactPanel } from '../rooms/trust/ContactPanel.tsx'
import { openDetails } from '../rooms/trust/details.ts'
import { putPeople, resetPeople } from '../rooms/trust/people.ts'
import { openScreen, show } from '../testing/screen.tsx'
import { ALICE_ID, ROOM_ID, shownBob, shownRoom } from '../testing/shown.ts'
import { closeStep } from '../ui/steps.ts'
import { ConnectionSheet } from './ConnectionSheet.tsx'
import { KeysSheet } from './KeysSheet.tsx'
import { NoticeSheet } from './NoticeSheet.tsx'
import { Palette } from './Palette.tsx'
import { SidebarTop } from './SidebarTop.tsx'

vi.mock('../chat/calls/calls.ts', async () => {
  const { callStore: store, resetCall: reset } = await import('../chat/calls/callState.ts')
  const names = ['startCall', 'acceptCall', 'endCall', 'toggleAudio', 'toggleVideo', 'shareScreen', 'stopShare', 'wordsDiffer']
  const more = ['wordsMatch', 'dismissRefusal', 'silenceRing', 'chooseDevice', 'setNoiseSuppression']
  return {
    ...Object.fromEntries([...names, ...more].map((name) => [name, vi.fn(async () => undefined)])),
    listDevices: async () => ({
      microphone: [{ id: 'a', name: 'Built-in' }],
      camera: [],
      speaker: [],
      chosen: {},
      hasNoiseSuppression: true,
    }),
    declineCall: async () => reset(),
    dismissCall: () => reset(),
    minimiseCall: (isMinimised: boolean) => store.setState({ isMinimised }),
  }
})

openScreen()

/** A message whose bar stands beside it. */
function OneMessage() {
  const scroller = useRef<HTMLDivElement>(null)
  return (
    <>
      <div ref={scroller}>
        <div className="line" data-index={0}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: as a message in the timeline */}
          <div className="msg" tabIndex={0}>
            <div className="bub">
              <p>words</p>
            </div>
          </div>
        </div>
      </div>
      <MessageActs
        chatRoomId={ROOM_ID}
        scroller={scroller}
        lines={[{ kind: 'message', key: ID, message, startsRun: true, hasTime: true }]}
        onUpgrade={none}
      />
    </>
  )
}

interface Opens {
  /** The file below client/ that has it. */
  of: string
  /** Pressed one after the other to open it. Without them it is rendered once the page is asked to. */
  presses?: (string | RegExp)[]
  /** What has the focus as soon as it is open. */
  focus: string | RegExp
  /** What has it afterwards in place of the composer: it stands in what is still open. */
  back?: string | RegExp
  before?: () => void
  shown: (close: () => void) => ReactNode
}

const none = () => undefined
const never = async () => undefined
const AT = '2026-11-26T10:00:00.000Z'
const ID = '7f6f4c36-9a1e-4b58-8f07-0b7f1b0f7f01'
const TOKEN = 'A'.repeat(32)
const user = {
  ...{ id: ALICE_ID, username: 'alice', displayName: 'Alice' },
  profileImageUrl: null,
  subscriptionTier: 'premium',
} as never
const chat = { room: shownRoom, person: shownBob }
const notes = { ...shownRoom, id: notesRoomId(shownRoom.ownId), direct: null }
const key = (username: string, at: number) => ({
  username,
  identityKey: Buffer.alloc(32, at).toString('base64'),
  isByAddress: false,
})
const adminUser = {
  ...{ id: ID, username: 'Bob', displayName: 'Bob', profileImageUrl: null, isActive: true, isAdmin: false },
  ...{ subscriptionTier: 'free', createdAt: AT, lastSeen: null },
}
const pack = {
  ...{ id: ID, name: 'Chambers', description: '', tier: 'premium', isActive: true, isBought: false, displayOrder: 4 },
  ...{ monthlyPrice: 100, yearlyPrice: 0, messagesLimit: -1, fileStorageGB: 5, voiceCallMinutes: -1, videoCallMinutes: 30 },
  ...{ advancedEncryption: false, prioritySupport: false, customBranding: false, apiAccess: true, archivedAt: null },
  ...{ stripePriceIdMonthly: null, stripePriceIdYearly: null, createdAt: AT, updatedAt: AT },
}
const review = {
  ...{ id: ID, reason: 'late', payer: { id: ID, username: 'Bob' }, paymentId: ID, currency: 'bitcoin', amount: '0.1' },
  ...{
    usdCents: 1000,
    paymentAddress: 'bc1q',
    addressIndex: 0,
    walletAddress: null,
    status: 'needs_review',
    createdAt: AT,
    noticedAt: AT,
  },
  ...{ asset: 'bitcoin', assetAmount: '0.1', assetCents: 1000, transactions: [], outcomes: ['credited', 'dismissed'] },
}
const payment = {
  ...{ id: ID, packageId: 'test', billingPeriod: 'monthly', currency: 'bitcoin', amount: '0.1', receivedAmount: '0' },
  ...{ dueAmount: '0.1', usdAmount: '10.00', paymentAddress: 'bc1q', paymentUri: 'bitcoin:bc1q', status: 'pending' },
  ...{ expiresAt: '2099-01-01T00:00:00.000Z', createdAt: AT, confirmedAt: null, transactionHash: null },
  ...{ refundTransaction: null, blockConfirmations: 0 },
}
const session = {
  ...{ id: ID, deviceId: null, isCurrent: false, browser: 'Firefox', system: 'Linux', ingress: 'direct' },
  ...{ firstSeenAt: AT, lastSeenAt: AT },
}
const wish = { packageId: 'test', name: 'Premium', billingPeriod: 'monthly' as const, cents: 1000 }
const offer = { currencies: ['bitcoin' as const], preferred: 'bitcoin' as const, walletAddress: '', wishes: [wish] }
const invitation = {
  ...{
    id: ID,
    masterUserId: ID,
    inviteeEmail: 'b@example.org',
    inviteeUsername: 'bob',
    invitationToken: TOKEN,
    status: 'pending',
  },
  ...{ expiresAt: AT, createdAt: AT, acceptedAt: null, mail: 'sent', mailedAt: AT },
}
const member = { id: ID, username: 'bob', displayName: 'Bob', profileImageUrl: null, isOnline: false, joinedAt: AT }
const fork = { userId: ALICE_ID, version: 2, hash: 'a', known: 'b', by: 'x', isProven: true, isTold: false, isAnswered: false }
const picture = { type: 'file', object: 'a', name: 'beach.png', mediaType: 'image/png', sizeBytes: 9 }
const LIVE = {
  ...{ isInCall: true, isInitiator: true, callType: 'voice' as const, participants: [shownBob.id], phase: 'live' as const },
  ...{
    callId: 'call',
    chatRoomId: ROOM_ID,
    callStartTime: 1,
    words: ['harbour', 'slate', 'fig', 'lantern'],
    isAudioEnabled: true,
  },
}
const narrow = () => {
  const wide = matchMedia
  vi.spyOn(globalThis, 'matchMedia').mockImplementation((query) =>
    query.startsWith('(max-width')
      ? ({ ...wide(query), matches: true, addEventListener: none, removeEventListener: none } as never)
      : wide(query),
  )
}

/** What the server answers; everything else is refused, as without a connection. */
const ANSWERS = new Map<unknown, unknown>([
  [adminApi.first, { hasAdministrator: false }],
  [adminPackagesApi.list, [pack]],
  [familyApi.own, { membership: { username: 'Carol', isPaid: true, showsOnline: false } }],
  [sessionsApi.list, [session]],
  [coinsApi.currencies, []],
  [coinsApi.payments, [payment]],
  [coinsApi.checkPayment, payment],
])
const api = async (endpoint: unknown) => {
  if (!ANSWERS.has(endpoint)) throw new ApiError(0, 'offline', 'You are offline')
  return ANSWERS.get(endpoint)
}
const socket = { on: () => none, send: none, close: none, heardAt: () => 0, reconnect: none }
const crypto = {
  unsentCount: async () => 0,
  readEmojis: async () => ({ used: [], tone: 0 }),
  keptFiles: async () => ({
    rooms: [{ chatRoomId: ROOM_ID, files: [{ object: 'a', bytes: 9 }] }],
    waitingBytes: 0,
    isOnDisk: true,
  }),
  transferRows: async () => [
    { chatRoomId: ROOM_ID, isMine: false, isKept: true, stage: 'done', have: 0, at: '', content: { sizeBytes: 9 } },
  ],
  page: async () => ({ messages: [], from: 1 }),
  stretching: async () => null,
  safetyNumber: async () => null,
}

const message: ShownMessage = {
  ...{ id: ID, seq: 1, senderId: shownBob.id, at: AT, isMine: false, status: null, reason: null, isOutOfPlace: false },
  body: { kind: 'text', text: 'words' },
}

const DIALOGS: Opens[] = [
  {
    of: 'admin/CoinReview.tsx',
    presses: [/^Dismiss|^Keep|^Leave|of @bob$/i],
    focus: 'Cancel',
    shown: () => (
      <ul>
        <CoinReview review={review as never} onSettled={none} />
      </ul>
    ),
  },
  {
    of: 'admin/UserRows.tsx',
    presses: ['Block @bob'],
    focus: 'Cancel',
    shown: () => <UserRows users={[adminUser as never]} isLoading={false} onChanged={none} />,
  },
  {
    of: 'admin/SentBack.tsx',
    focus: 'Transaction of the refund',
    shown: (close) => <SentBack title="Back" text="It went back." isPending={false} onSend={none} onClose={close} />,
  },
  {
    of: 'admin/PackageDialog.tsx',
    focus: 'Package Name',
    shown: (close) => <PackageDialog stored={undefined} act={async () => true} isPending={false} onDone={none} onClose={close} />,
  },
  { of: 'admin/FirstAdministrator.tsx', focus: 'Close', shown: (close) => <FirstAdministrator user={user} onClose={close} /> },
  { of: 'admin/PackagesTab.tsx', presses: [/^Delete/], focus: 'Cancel', shown: () => <PackagesTab /> },
  {
    of: 'app/SidebarTop.tsx',
    presses: [/^You:/],
    focus: 'the menu',
    shown: () => (
      <SidebarTop user={user} isTitle={false} onHome={none} onAdmin={none} onSettings={none} onCalls={none} onLogout={none} />
    ),
  },
  {
    of: 'app/ConnectionSheet.tsx',
    before: narrow,
    focus: 'Close',
    shown: (close) => <ConnectionSheet anchor={document.body} onClose={close} />,
  },
  {
    of: 'app/ConnectionSheet.tsx',
    focus: /^How|^Connected|^This page/,
    shown: (close) => <ConnectionSheet anchor={document.body} onClose={close} />,
  },
  {
    of: 'app/Palette.tsx',
    focus: 'Chats, settings and actions',
    shown: (close) => (
      <Palette
        openRoomId={ROOM_ID}
        onClose={close}
        onGo={none}
        onAdd={none}
        onUnread={none}
        onKeys={none}
        onCalls={none}
        onLogout={none}
      />
    ),
  },
  {
    of: 'app/NoticeSheet.tsx',
    focus: 'Later',
    shown: (close) => (
      <NoticeSheet
        title="2 things for you"
        notices={{ kit: true, offer: false, reminder: undefined, canWait: true, wait: none } as never}
        onGo={none}
        onClose={close}
      />
    ),
  },
  { of: 'app/KeysSheet.tsx', focus: 'Close', shown: (close) => <KeysSheet onClose={close} /> },
  {
    of: 'rooms/log/ForkQuestion.tsx',
    presses: ['Decide'],
    focus: 'Cancel',
    shown: () => <ForkQuestion room={{ ...shownRoom, forks: [fork] }} onAnswered={none} />,
  },
  {
    of: 'rooms/trust/ChooseKey.tsx',
    focus: 'Cancel',
    shown: (close) => <ChooseKey person={shownBob} choices={[key('bob', 1), key('bob', 2)]} onChoose={never} onClose={close} />,
  },
  {
    of: 'rooms/trust/ChangedPerson.tsx',
    presses: [/accept/i],
    focus: 'Cancel',
    shown: () => <ChangedPerson person={shownBob} mismatch="key_changed" onAccept={never} onDetails={none} />,
  },
  {
    of: 'rooms/trust/ContactPanel.tsx',
    before: narrow,
    focus: 'Close',
    shown: (close) => (
      <ContactPanel person={shownBob} presence={undefined} onClose={close} onFreed={none} isCovered={false}>
        {null}
      </ContactPanel>
    ),
  },
  {
    of: 'plan/plans/UpgradeDialog.tsx',
    focus: 'Maybe Later',
    shown: (close) => <UpgradeDialog feature="messaging" isRefused={false} onClose={close} />,
  },
  {
    of: 'plan/plans/ChangeDialog.tsx',
    focus: 'Cancel',
    shown: (close) => (
      <ChangeDialog
        {...{ name: 'Premium', dueNowCents: 100, periodEnd: null, terms: undefined, isPending: false }}
        onChange={none}
        onClose={close}
      />
    ),
  },
  {
    of: 'plan/plans/BuyDialog.tsx',
    focus: /^I agree/,
    shown: (close) => (
      <BuyDialog
        {...{ name: 'Premium', cents: 100, period: 'monthly', isPending: false }}
        terms={{ url: 'https://example.org/terms', version: '1', asksWithdrawal: true }}
        onBuy={none}
        onClose={close}
      />
    ),
  },
  {
    of: 'plan/plans/CheckoutDialog.tsx',
    focus: 'Cancel',
    shown: (close) => (
      <CheckoutDialog payment={{ frameUrl: 'https://frame.example/', clientSecret: 's', wanted: {} } as never} onClose={close} />
    ),
  },
  {
    of: 'plan/plans/LeavingTor.tsx',
    focus: 'Stay here',
    shown: () => <LeavingTor />,
    before: () =>
      leavingStore.setState({ asked: { host: 'card.example', answer: () => leavingStore.setState({ asked: null }) } }),
  },
  {
    of: 'plan/plans/RefundDialog.tsx',
    focus: 'Keep my plan',
    shown: (close) => <RefundDialog cents={100} onRefund={none} onClose={close} />,
  },
  { of: 'plan/coins/CoinPart.tsx', presses: [/^Show the payment/], focus: /^(?!nothing$)./, shown: () => <CoinPart /> },
  {
    of: 'plan/coins/CoinDialog.tsx',
    focus: /^Bitcoin/,
    shown: (close) => <CoinDialog wish={wish} offer={offer} onClose={close} />,
  },
  {
    of: 'plan/family/Membership.tsx',
    presses: ['Leave the family circle'],
    focus: 'Cancel',
    shown: () => <Membership user={{ ...(user as object), subscriptionTier: 'free' } as never} />,
  },
  {
    of: 'plan/family/Members.tsx',
    presses: ['Remove @bob'],
    focus: 'Cancel',
    shown: () => <Members members={[member as never]} onChange={never} />,
  },
  {
    of: 'plan/family/LinkDialog.tsx',
    focus: 'Close',
    shown: (close) => <LinkDialog invitation={invitation as never} sendsMail={false} onMailed={none} onClose={close} />,
  },
  {
    of: 'me/browserlock/LockOffDialog.tsx',
    focus: 'Password that opens the lock',
    shown: (close) => <LockOffDialog standing={{ passwordSalt: 's', passkeyIds: [] } as never} onDone={none} onClose={close} />,
  },
  {
    of: 'me/browserlock/SwitchOnDialog.tsx',
    focus: 'Password of this account',
    shown: (close) => (
      <SwitchOnDialog title="Lock" text="" legend="Unlock with" switchOn={never} onDone={none} onClose={close}>
        {null}
      </SwitchOnDialog>
    ),
  },
  { of: 'me/account/LogoutDialog.tsx', focus: /^Keep its keys/, shown: (close) => <LogoutDialog onClose={close} /> },
  {
    of: 'me/sessions/SessionsPage.tsx',
    presses: ['End all others'],
    focus: 'Cancel',
    shown: () => <SessionsPage onChangePassword={none} />,
  },
  {
    of: 'me/photo/CameraDialog.tsx',
    focus: 'Cancel',
    shown: (close) => <CameraDialog userId={ALICE_ID} onTaken={none} onClose={close} />,
  },
  {
    of: 'me/photo/CropDialog.tsx',
    focus: /^Part of “a”/,
    shown: (close) => (
      <CropDialog
        chosen={{ userId: ALICE_ID, name: 'a', picture: { width: 9, height: 9 }, crop: { x: 0, y: 0, zoom: 1 } } as never}
        onClose={close}
      />
    ),
  },
  {
    of: 'me/devices/RenameDevice.tsx',
    focus: /^Name/,
    shown: (close) => <RenameDevice device={{ id: 'd', name: 'Laptop' } as never} onClose={close} />,
  },
  {
    of: 'me/security/ConfirmDialog.tsx',
    focus: 'Password',
    shown: (close) => <ConfirmDialog text="" onConfirmed={none} onClose={close} />,
  },
  {
    of: 'me/security/DeleteAccount.tsx',
    presses: [/^Delete account/],
    focus: 'Password of @alice',
    shown: () => <DeleteAccount user={user} />,
  },
  {
    of: 'me/security/WayDialog.tsx',
    focus: 'Password',
    shown: (close) => <WayDialog title="Show it" text="" action="Show" pendingAction="" onOpen={never} onClose={close} />,
  },
  {
    of: 'chat/chatlocks/EnterPassword.tsx',
    focus: 'Chat password',
    shown: (close) => <RemovePassword {...chat} onClose={close} />,
  },
  { of: 'chat/chatlocks/OpenClaimed.tsx', focus: 'Password', shown: (close) => <OpenClaimed {...chat} onClose={close} /> },
  { of: 'chat/chatlocks/SetPassword.tsx', focus: /^Chat password/, shown: (close) => <SetPassword {...chat} onClose={close} /> },
  { of: 'chat/chatlocks/SetPassword.tsx', focus: 'Chat password', shown: (close) => <SetAgain {...chat} onClose={close} /> },
  {
    of: 'chat/chatlocks/SetPassword.tsx',
    focus: 'Current chat password',
    shown: (close) => <ChangePassword {...chat} onClose={close} />,
  },
  { of: 'chat/calls/TestConnection.tsx', focus: 'Done', shown: (close) => <TestConnection onClose={close} /> },
  {
    of: 'chat/calls/CallRefused.tsx',
    focus: 'Do not call',
    shown: (close) => <CallRefused refusal="no_relay" name="Bob" isRinging={false} onAllow={none} onLeave={close} />,
  },
  { of: 'chat/calls/CallList.tsx', focus: 'All', shown: (close) => <CallList onOpenChat={none} onClose={close} /> },
  {
    of: 'chat/calls/IncomingCall.tsx',
    focus: 'Accept',
    before: () => callStore.setState({ ...LIVE, phase: 'incoming' }),
    shown: () => <CallOverlay onOpenChat={none} />,
  },
  {
    of: 'chat/calls/CallView.tsx',
    focus: 'Bob Baker',
    before: () => callStore.setState(LIVE),
    shown: () => <CallOverlay onOpenChat={none} />,
  },
  {
    of: 'chat/files/Viewer.tsx',
    focus: 'Zoom in',
    shown: (close) => <Viewer held={{ chatRoomId: ROOM_ID, file: picture } as never} seq={null} onClose={close} />,
  },
  {
    of: 'chat/files/Storage.tsx',
    presses: ['Clear the files of Bob Baker'],
    focus: 'Cancel',
    shown: () => <Storage onCleared={none} />,
  },
  {
    of: 'chat/files/AttachDialog.tsx',
    focus: 'Caption',
    shown: (close) => (
      <AttachDialog
        hasReader
        files={[new File(['x'], 'a.png', { type: 'image/png' })]}
        onRemove={none}
        onMore={none}
        onSend={never}
        onClose={close}
        nextFocus={() => null}
      />
    ),
  },
  { of: 'chat/gallery/SharedFiles.tsx', focus: /^Filter/, shown: (close) => <SharedFiles {...chat} onClose={close} /> },
  {
    of: 'chat/emoji/EmojiPicker.tsx',
    before: narrow,
    focus: 'Search emoji',
    shown: (close) => <EmojiPicker title="Emoji" at={{ x: 0, y: 0 }} onPick={none} onClose={close} />,
  },
  {
    of: 'chat/emoji/EmojiPicker.tsx',
    focus: 'Search emoji',
    shown: (close) => <EmojiPicker title="Emoji" at={{ x: 0, y: 0 }} onPick={none} onClose={close} />,
  },
  {
    of: 'chat/messages/DeleteMessage.tsx',
    focus: 'Cancel',
    shown: (close) => <DeleteMessage room={shownRoom} messages={[message]} onUpgrade={none} onClose={close} />,
  },
  {
    of: 'chat/messages/ForwardDialog.tsx',
    focus: 'Search contacts',
    shown: (close) => <ForwardDialog messages={[message]} onUpgrade={none} onClose={close} />,
  },
  {
    of: 'chat/messages/MessageDetails.tsx',
    focus: 'Close',
    shown: (close) => <MessageDetails room={shownRoom} message={message} onClose={close} />,
  },
  {
    of: 'chat/messages/DayDialog.tsx',
    focus: 'Day',
    shown: (close) => <DayDialog room={shownRoom} from={new Date(AT)} onClose={close} />,
  },
  {
    of: 'chat/messages/Attach.tsx',
    presses: ['Attach files'],
    focus: 'the menu',
    shown: () => (
      <Attach
        chatRoomId={ROOM_ID}
        hasPlan
        isBlocked={false}
        given={{ files: [], isOver: false, taken: none }}
        nextFocus={() => null}
        onWords={none}
      />
    ),
  },
  {
    of: 'chat/messages/MessageActs.tsx',
    presses: ['More'],
    focus: 'the menu',
    before: () => act(() => document.querySelector<HTMLElement>('.msg')?.focus()),
    shown: () => <OneMessage />,
  },
  {
    of: 'chat/transferline/TransferDialog.tsx',
    focus: /^Choose files/,
    before: () => askTransfer(ROOM_ID),
    shown: () => <Asked />,
  },
  {
    of: 'chat/transferline/TransferQuestion.tsx',
    focus: 'Not now',
    shown: (close) => <TransferQuestion question="no_relay" name="Bob" isMine onAllow={none} onLeave={close} />,
  },
  {
    of: 'chat/transferline/Undirected.tsx',
    focus: 'Close',
    before: () => {
      askTransfer(ROOM_ID)
      vi.stubGlobal('RTCPeerConnection', undefined)
    },
    shown: () => <Asked />,
  },
  {
    of: 'alerts/notifications/BellPanel.tsx',
    focus: 'Settings',
    shown: (close) => <BellPanel onSettings={none} onClose={close} />,
  },
  {
    of: 'alerts/notifications/MuteDialog.tsx',
    focus: /hours/,
    shown: (close) => <MuteDialog room={shownRoom} name="Bob" onClose={close} />,
  },
  {
    of: 'chat/once/OnceViewer.tsx',
    focus: 'Close',
    shown: (close) => <OnceViewer name="Photo" opened={undefined} state="Opening" onClose={close} />,
  },
  {
    of: 'chat/timers/TimerDialog.tsx',
    focus: 'Off',
    shown: (close) => <TimerDialog room={shownRoom} onClose={close} />,
  },
  { of: 'people/contacts/AddMenu.tsx', focus: 'the menu', shown: (close) => <AddMenu onAdd={none} onClose={close} /> },
  { of: 'people/contacts/ReportContact.tsx', focus: 'Spam', shown: (close) => <ReportContact {...chat} onClose={close} /> },
  { of: 'chat/stars/StarredDialog.tsx', focus: 'Close', shown: (close) => <StarredDialog onClose={close} /> },
  {
    of: 'people/contacts/NotesMenu.tsx',
    focus: 'the menu',
    shown: (close) => <NotesMenu room={notes} at={{ x: 1, y: 1 }} onClose={close} />,
  },
  {
    of: 'people/contacts/RowMenu.tsx',
    focus: 'the menu',
    shown: (close) => <RowMenu chat={chat} at={{ x: 1, y: 1 }} onOpen={none} onClose={close} />,
  },
  {
    of: 'people/contacts/RemoveContact.tsx',
    focus: 'Cancel',
    shown: (close) => <RemoveContact chat={chat} onRemoved={none} onClose={close} />,
  },
  {
    of: 'people/contacts/AddContactDialog.tsx',
    focus: 'Username or onion address',
    shown: (close) => <AddContactDialog onClose={close} />,
  },
  { of: 'people/contacts/NameContact.tsx', focus: /^Name/, shown: (close) => <NameContact {...chat} onClose={close} /> },
  {
    of: 'people/contacts/DeleteChat.tsx',
    focus: 'Cancel',
    shown: (close) => <DeleteChat {...chat} onGone={none} onClose={close} />,
  },
  { of: 'people/contacts/ClearChat.tsx', focus: 'Cancel', shown: (close) => <ClearChat {...chat} onClose={close} /> },
  {
    of: 'people/contacts/BlockContact.tsx',
    focus: 'Cancel',
    shown: (close) => <BlockContact {...chat} onGone={none} onClose={close} />,
  },
  { of: 'people/contacts/BlockContact.tsx', focus: 'Cancel', shown: (close) => <UnblockContact {...chat} onClose={close} /> },
  {
    of: 'people/contactcodes/ScanDialog.tsx',
    focus: /^(?!nothing$)./,
    shown: (close) => <ScanDialog user={user} onClose={close} />,
  },
  {
    of: 'people/contactcodes/InviteDialog.tsx',
    focus: /^(?!nothing$)./,
    shown: (close) => <InviteDialog user={user} onClose={close} />,
  },
]

/** What stands over something that stays open: Escape closes the upper one, and the focus is in the lower one again. */
const OVER: Opens[] = [
  {
    of: 'chat/calls/DeviceSheet.tsx',
    presses: ['Devices'],
    focus: 'Close',
    back: 'Devices',
    before: () => callStore.setState(LIVE),
    shown: () => <CallOverlay onOpenChat={none} />,
  },
  {
    of: 'chat/calls/CompareWords.tsx',
    presses: [/harbour/],
    focus: 'They match',
    back: /harbour/,
    before: () => callStore.setState(LIVE),
    shown: () => <CallOverlay onOpenChat={none} />,
  },
  {
    of: 'chat/calls/CompareWords.tsx',
    presses: [/harbour/, 'They differ'],
    focus: 'Cancel',
    back: 'They differ',
    before: () => callStore.setState(LIVE),
    shown: () => <CallOverlay onOpenChat={none} />,
  },
]

/** As in the composer, which shows it while its chat is asked for. */
function Asked() {
  const isAsked = useStore(transferStore, ({ asked }) => asked !== null)
  return isAsked && <TransferDialog chatRoomId={ROOM_ID} nextFocus={() => null} />
}

function Page({ opens: { shown, presses }, hasChat }: { opens: Opens; hasChat: boolean }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <main>
      {hasChat && (
        <div className="compose">
          <textarea aria-label="Message" />
        </div>
      )}
      <button type="button" onClick={() => setOpen(true)}>
        Open it
      </button>
      {(isOpen || presses) && shown(() => setOpen(false))}
    </main>
  )
}

const named = (): string => {
  const { activeElement: now } = document
  if (!now || now === document.body) return 'nothing'
  const label = 'labels' in now ? (now as HTMLInputElement).labels?.[0] : undefined
  const by = now.getAttribute('aria-labelledby')
  const words =
    now.getAttribute('aria-label') ?? label?.textContent ?? (by ? document.getElementById(by) : now)?.textContent ?? ''
  return now.getAttribute('role') === 'menu' ? 'the menu' : words.trim()
}
const isNamed = (words: string | RegExp) =>
  typeof words === 'string' ? expect(named().startsWith(words) ? words : named()).toBe(words) : expect(named()).toMatch(words)
const opened = () => document.querySelectorAll('[role="dialog"], [role="alertdialog"], [role="menu"]').length

beforeEach(() => {
  resetCall()
  resetRooms()
  resetPeople()
  vi.stubGlobal('RTCPeerConnection', class {})
  accountStore.setState({ user })
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue({ fillRect: none, drawImage: none } as never)
  const ways = { password: true, passkeys: [], kit: false }
  waysStore.setState({ userId: ALICE_ID, ways: ways as never, factors: [], failure: null })
  putPeople([shownBob])
  putRooms([shownRoom])
})
afterEach(() => {
  act(endTransferAsk)
  leavingStore.setState({ asked: null })
  vi.unstubAllGlobals()
})

/** Opens it by the pointer, in an open chat or in the settings. Returns the person’s hands, and the words of what was pressed last. */
async function opens(one: Opens, hasChat: boolean) {
  const { person } = show(
    <Page opens={one} hasChat={hasChat} />,
    { api: api as never },
    { crypto: crypto as never, socket: socket as never },
  )
  one.before?.()
  if (one.presses)
    for (const name of one.presses) await person.click((await screen.findAllByRole('button', { name }))[0] as Element)
  else await person.click(screen.getByRole('button', { name: 'Open it' }))
  await waitFor(() => isNamed(one.focus), { timeout: 4000 })
  return person
}

describe.each(DIALOGS.map((one) => [`${one.of}${one.presses ? ` by ${one.presses.at(-1)}` : ''}`, one] as const))(
  '%s',
  (_, one) => {
    test('Its first field or its safe button has the focus; Escape closes it, and the person writes on', async () => {
      const person = await opens(one, true)
      await person.keyboard('{Escape}')
      await waitFor(() => expect(opened()).toBe(0))
      await waitFor(() => isNamed('Message'))
    })

    test('Where there is no chat the focus goes back to what opened it, also by a step back', async () => {
      await opens(one, false)
      act(() => void closeStep())
      await waitFor(() => expect(opened()).toBe(0))
      await waitFor(() => isNamed(one.presses?.at(-1) ?? 'Open it'))
    })
  },
)

test.each(OVER.map((one) => [`${one.of} by ${one.presses?.at(-1)}`, one] as const))(
  '%s: Escape goes back to what it stands over',
  async (_, one) => {
    const person = await opens(one, true)
    const before = opened()
    await person.keyboard('{Escape}')
    await waitFor(() => expect(opened()).toBe(before - 1))
    await waitFor(() => isNamed(one.back ?? 'Message'))
  },
)

test('The contact panel focuses its first control once it is asked for, and Escape gives the focus to the composer', async () => {
  const panel: Opens = {
    of: 'rooms/trust/ContactPanel.tsx',
    focus: 'Close contact details',
    before: () => openDetails(ROOM_ID),
    shown: (close) => (
      <ContactPanel person={shownBob} presence={undefined} onClose={close} onFreed={none} isCovered={false}>
        {null}
      </ContactPanel>
    ),
  }
  const person = await opens(panel, true)
  await person.keyboard('{Escape}')
  await waitFor(() => isNamed('Message'))
})

test('Every dialog, sheet and menu of the product is in this list', () => {
  const root = path.join(import.meta.dirname, '..')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => file.endsWith('.tsx') && !/^(ui|testing)[/]|[.]test[.]/.test(file))
  const counts = new Map<string, number>()
  for (const file of files) {
    const source = readFileSync(path.join(root, file), 'utf8')
    const parts = /Dialog.*from 'radix-ui'/.test(source)
      ? /<(Radix|Dialog)[.]Content\b/g
      : /<(Dialog|AlertDialog|ConsentDialog|Menu|Beside)\s|\srole="(alert)?dialog"/g
    const found = source.match(parts)
    if (found) counts.set(file, found.length)
  }
  const listed = new Map<string, number>()
  for (const { of } of [...DIALOGS, ...OVER]) listed.set(of, (listed.get(of) ?? 0) + 1)
  expect(Object.fromEntries([...listed].sort())).toEqual(Object.fromEntries([...counts].sort()))
})
