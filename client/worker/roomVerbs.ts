import type { Message } from '../../contract/chat/messages.ts'
import type { ArchiveKey } from '../../contract/chat/rooms.ts'
import type { Binding } from './binding.ts'
import { forgetCall, noteCall, notedCalls } from './calls/notedCalls.ts'
import type { Live } from './keys/live.ts'
import * as load from './lazyParts.ts'
import { enterRoom } from './log/enterRoom.ts'
import { commitRoom, createRoom, joinRoom, roomNeed } from './log/prepareRoom.ts'
import { receiveLog } from './log/receiveLog.ts'
import { keepAndSeal, sealOutboxRow } from './log/sealing.ts'
import { reopenWaiting } from './log/unopenedMessages.ts'
import { explained } from './log/withheldPlace.ts'
import { loadActs, loadHidden, loadLifetimes, takeStrays } from './messages/acts.ts'
import { keepArchiveKeys, missingEpochs } from './messages/archive.ts'
import * as begun from './messages/begunRows.ts'
import { marksOf } from './messages/marks.ts'
import * as outbox from './messages/outbox.ts'
import { isSteady, setSteady } from './messages/steady.ts'
import { HIDING } from './messages/takenActs.ts'
import { loadHpke } from './primitives/loadHpke.ts'
import type { searchMessages } from './searchindex/search.ts'
import { pageOf } from './vault/storedPage.ts'
import { roomRecord } from './vault/storedRoom.ts'
import { TRANSFERS, UPLOADS } from './vault/waitingFiles.ts'

/** group: the MLS groups of this device. */
export const groupVerbs = ({ part }: Binding) => ({
  ...part(load.putOff, 'roomsToHeal', 'putHealingOff', 'dropCommit'),
  ...part(load.newPackages, 'refillKeyPackages'),
  ...part(load.answer, 'answerForks'),
})

/** log: what rooms have in their order. */
export const logVerbs = ({ on, onSealing, part }: Binding) => ({
  ...on({
    /** The record of a room; undefined if it is new here, or locked. */
    roomRecord: async ({ vault }: Live, chatRoomId: string) =>
      (await vault.isOpen(chatRoomId)) ? roomRecord(vault, chatRoomId) : undefined,
    /** Only a commit needs HPKE, and waits as `onSealing` says. */
    receiveLog: async (live: Live, input: Parameters<typeof receiveLog>[1]) => {
      if (input.entries.some(({ kind }) => kind === 'commit')) await loadHpke()
      return receiveLog(live, input)
    },
    keepAndSeal,
    sealOutboxRow,
    reopenWaiting,
    roomNeed,
  }),
  ...onSealing({ enterRoom, createRoom, joinRoom, commitRoom }),
  ...part(load.restart, 'restartRoom'),
  ...part(load.audit, 'auditCommits', 'auditDone'),
  ...part(load.older, 'adoptPage'),
  ...part(load.contacts, 'nameContact', 'noteBlock', 'knowVanished', 'clearRoom', 'applyClears'),
})

/** Nothing where that part is not loaded. */
const livePins = ({ vault }: Live, chatRoomId: string) =>
  loadActs().then(
    (part) => part.pinsIn(vault, chatRoomId),
    () => [],
  )

/** messages: what is stored of them, what waits to be sent, and the keys of the archive. */
export const messageVerbs = ({ on, onSealing, part }: Binding) => ({
  ...on({
    page: async (live: Live, input: Parameters<typeof pageOf>[1]) => {
      let page = await pageOf(live.vault, input)
      if (page.strays) {
        await takeStrays(live, input.chatRoomId, page.strays)
        page = await pageOf(live.vault, input)
      }
      if (page.nextEndMs !== undefined) page = await (await loadLifetimes()).withEnds(live, input, page)
      const pins = page.pins && (await livePins(live, input.chatRoomId))
      return { ...page, ...(pins && { pins }), messages: await explained(live, page.messages) }
    },
    missingEpochs: (live: Live, messages: Pick<Message, 'content'>[]) => missingEpochs(live, messages),
    outbox: outbox.outboxOf,
    roomsWithOutbox: outbox.roomsWithOutbox,
    keepInOutbox: outbox.keepInOutbox,
    changeOutbox: outbox.changeOutbox,
    readDraft: begun.readDraft,
    drafts: begun.drafts,
    keepDraftText: begun.keepDraftText,
    readReply: begun.readReply,
    keepReply: begun.keepReply,
    readEdit: begun.readEdit,
    keepEdit: begun.keepEdit,
    isSteady,
    setSteady,
    marks: marksOf,
    /** Chats in which a message may still have to go. */
    hidingRooms: async ({ vault }: Live) => {
      const keys = await vault.keys('sealed', HIDING)
      return [...new Set(keys.map((key) => key.slice(HIDING.length).replace(/ .*/, '')))]
    },
  }),
  ...onSealing({
    keepArchiveKeys: (live: Live, keys: ArchiveKey[], chatRoomId?: string) => keepArchiveKeys(live, keys, chatRoomId),
  }),
  ...part(load.unsent, 'dropFromOutbox', 'takeBack', 'unsentCount'),
  ...part(load.quoted, 'quoted', 'earlierWords', 'signerOf'),
  ...part(loadLifetimes, 'startLifetimes', 'endDue', 'readNewTimer', 'setNewTimer'),
  ...part(loadHidden, 'hideMessages', 'dropHidden'),
  ...part(load.emojis, 'readEmojis', 'keepEmojis'),
})

/** calls: their keys, which no vault keeps, and whose line is owed. */
export const callVerbs = ({ on, part }: Binding) => ({
  ...on({ noteCall, forgetCall, notedCalls }),
  ...part(load.calls, 'ringCall', 'answerCall', 'acceptAnswer', 'callWords', 'dropCall'),
  ...part(load.callFrames, 'sealSignal', 'openSignal'),
})

/** transfers: files that go from browser to browser, and what is kept of them. */
export const transferVerbs = ({ on, part }: Binding) => ({
  ...on({
    /** A start loads no more where nothing is kept. */
    keepsTransfers: async ({ vault }: Live) => (await vault.keys('sealed', TRANSFERS)).length > 0,
  }),
  ...part(load.offering, 'keepOffer', 'sealChunks'),
  ...part(load.receiving, 'keepReceiving', 'missingChunks', 'openChunks'),
  ...part(load.finishing, 'finishTransfer', 'openTransfer'),
  ...part(load.transfers, 'transferRows', 'dropTransfer'),
})

/** searchindex: what the messages of open rooms are found by. */
export const searchVerbs = ({ on }: Binding) =>
  on({
    indexRooms: async ({ vault }: Live, input: { chatRoomIds: string[] }) => (await load.search()).indexRooms(vault, input),
    search: async ({ vault }: Live, input: Parameters<typeof searchMessages>[1]) =>
      (await load.search()).searchMessages(vault, input),
  })

/** files: what is sealed, sent and kept of them. */
export const fileVerbs = ({ on, part }: Binding) => ({
  ...on({
    uploads: async (live: Live) => {
      // Without a line a file is kept, and a message edited or taken back.
      const parts = Promise.all([load.files(), load.unsent(), loadHpke(), loadActs(), loadHidden()])
      if ((await live.vault.keys('sealed', UPLOADS)).length > 0) return (await parts)[0].uploads(live)
      parts.catch(() => undefined)
      return []
    },
  }),
  ...part(load.files, 'sealAhead', 'dropAhead', 'keepUpload', 'sealedStep', 'changeUpload', 'uploadBytes', 'uploadDone'),
  ...part(load.files, 'takeBackUpload', 'keptFiles', 'dropKept'),
})
