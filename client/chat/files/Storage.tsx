import { useCallback, useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { AlertDialog } from '../../ui/AlertDialog.tsx'
import { bytesWords } from '../../ui/bytes.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { NotRead } from '../../ui/NotRead.tsx'
import { noteFocus } from '../../ui/opener.ts'
import { showToast } from '../../ui/toast.ts'
import { useWindowNote } from '../../ui/useWindowNote.tsx'
import { clearKept, type Kept, readKept } from './keptFiles.ts'
import { StorageChats } from './StorageChats.tsx'
import { StorageSizes } from './StorageSizes.tsx'
import { filesWords } from './storageWords.ts'
import './keptFiles.css'

const CLEARED = 'Files are fetched again when you open them.'
const CLEARED_FOR_GOOD = 'What came directly is deleted. Other files are fetched again when you open them.'

/** `onCleared`: nothing is kept of the files of these chats any more. */
export function Storage({ onCleared }: { onCleared: (chatRoomIds: string[]) => void }) {
  const env = useEnv()
  const windowNote = useWindowNote()
  const [kept, setKept] = useState<Kept>()
  const [failure, setFailure] = useState<string | null>(null)
  const [isClearing, setClearing] = useState(false)
  const [asked, setAsked] = useState<{ chatRoomIds: string[]; bytes: number; lost: number }>()
  const locks = useStore(roomsStore, ({ rooms }) => [...rooms.values()].map(({ id, lock }) => `${id} ${lock}`).join())
  const read = useCallback(async () => {
    setFailure(null)
    await readKept(env).then(setKept, (error: unknown) => setFailure(failureWords(error)))
  }, [env])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a chat that was locked or opened meanwhile
  useEffect(() => void read(), [read, locks])

  /** What no server has goes by a decision of its own. */
  function ask(chatRoomIds: string[], bytes: number) {
    const lost = kept?.direct.received.filter(({ chatRoomId }) => chatRoomIds.includes(chatRoomId)) ?? []
    const files = lost.reduce((sum, one) => sum + one.files, 0)
    if (files > 0) setAsked({ chatRoomIds, bytes, lost: files })
    else void clear(chatRoomIds, bytes, CLEARED)
  }

  async function clear(chatRoomIds: string[], bytes: number, words: string) {
    const giveBack = noteFocus()
    setClearing(true)
    try {
      await clearKept(env, chatRoomIds)
      onCleared(chatRoomIds)
      showToast({ tone: 'good', title: 'Cleared', text: `${bytesWords(bytes)}. ${words}` })
    } catch (error) {
      showToast({ tone: 'bad', title: 'The files could not be cleared', text: failureWords(error) })
    }
    await read()
    setClearing(false)
    // The pressed button may be gone with its row.
    requestAnimationFrame(giveBack)
  }

  if (!kept) return <NotRead words="What this browser keeps could not be read." failure={failure} onRetry={() => void read()} />
  return (
    <>
      {windowNote}
      <StorageSizes kept={kept} />
      <StorageChats kept={kept} isClearing={isClearing} onClear={ask} />
      {asked && (
        <AlertDialog
          title={`Delete ${filesWords(asked.lost)} for good?`}
          text="What came directly from a browser is here alone: no server has it, and it cannot be fetched again. Save it first."
          action="Delete and clear"
          pendingAction="Clearing..."
          isPending={isClearing}
          onConfirm={() => {
            setAsked(undefined)
            void clear(asked.chatRoomIds, asked.bytes, CLEARED_FOR_GOOD)
          }}
          onCancel={() => setAsked(undefined)}
        />
      )}
    </>
  )
}
