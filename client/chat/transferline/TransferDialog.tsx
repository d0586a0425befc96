import { FileUp, Plus } from 'lucide-react'
import { type DragEvent, useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { hasRight } from '../../../contract/money/plans.ts'
import { accountStore } from '../../me/account/accountState.ts'
import { isRefused } from '../../net/api.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { later } from '../../ui/later.tsx'
import { showToast } from '../../ui/toast.ts'
import { ChosenFiles } from './ChosenFiles.tsx'
import { ConnectionLine } from './ConnectionLine.tsx'
import { askedOf, sortedTransfers } from './dialogRows.ts'
import { addressWords, CHOOSE, DROP, ENDS_WITH_TAB, GOES_ON, LIMIT, roomWords } from './dialogWords.ts'
import { droppedOf, type Fault, fittingTransfers } from './fittingTransfers.ts'
import { hasDirect } from './hasDirect.ts'
import { Named } from './Named.tsx'
import { TransferBody } from './TransferBody.tsx'
import { askTransfer, endTransferAsk, transferStore } from './transferState.ts'
import { transferVerbs } from './transferVerbs.ts'
import { TOASTS } from './transferWords.ts'
import { Undirected } from './Undirected.tsx'
import { useHeldFocus } from './useHeldFocus.tsx'
import { useRoomLeft } from './useRoomLeft.tsx'
import { useOtherName } from './useTransfer.tsx'

const UpgradeDialog = later(async () => (await import('../../plan/plans/UpgradeDialog.tsx')).UpgradeDialog)

const NONE: File[] = []

interface Props {
  chatRoomId: string
  /** Takes the focus once something was sent; null returns it to its former place. */
  nextFocus: () => HTMLElement | null
}

/** Files from browser to browser: what can be offered, what is offered, what moves and what is done in one chat. */
export function TransferDialog({ chatRoomId, nextFocus }: Props) {
  const env = useEnv()
  const name = useOtherName(chatRoomId)
  const transfers = useStore(transferStore, (state) => state.transfers)
  const rows = sortedTransfers([...transfers.values()].filter((one) => one.chatRoomId === chatRoomId))
  const mayOffer = useStore(accountStore, ({ user }) => user !== null && hasRight(user.subscriptionTier, 'shareFiles'))
  // What is offered leaves the store.
  const files = useStore(transferStore, ({ asked }) => asked?.files ?? NONE)
  const [faults, setFaults] = useState<Fault[]>([])
  const [isSending, setSending] = useState(false)
  const [askedId, setAskedId] = useState<string>()
  const [upgrade, setUpgrade] = useState<'asked' | 'refused'>()
  const [isOver, setOver] = useState(false)
  const room = useRoomLeft(rows.length)
  const picker = useRef<HTMLInputElement>(null)
  const isSent = useRef(false)
  const footer = useHeldFocus(files, isSending)

  function take(chosen: File[], folders: string[] = []) {
    if (chosen.length + folders.length === 0) return
    if (!mayOffer) return setUpgrade('asked')
    const fit = fittingTransfers(chosen, folders)
    askTransfer(chatRoomId, [...files, ...fit.files])
    setFaults(fit.faults)
  }

  // What was chosen before the dialog was open.
  useEffect(() => {
    const { asked } = transferStore.getState()
    const fit = fittingTransfers(asked?.files ?? [])
    if (fit.faults.length === 0) return
    askTransfer(chatRoomId, fit.files)
    setFaults(fit.faults)
  }, [chatRoomId])

  async function send() {
    setSending(true)
    setFaults([])
    setAskedId(undefined)
    try {
      await (await transferVerbs()).offerFiles(env, chatRoomId, files)
      isSent.current = true
      setAskedId(askedOf(transferStore.getState().transfers.values(), chatRoomId))
    } catch (error) {
      if (isRefused(error, 'subscription_required')) setUpgrade('refused')
      else {
        showToast(TOASTS.notOffered)
        setFaults([{ title: 'Not sent', text: failureWords(error) }])
      }
    }
    setSending(false)
  }

  function leaveOut(file: File) {
    askTransfer(
      chatRoomId,
      files.filter((one) => one !== file),
    )
  }

  function drop(event: DragEvent) {
    event.preventDefault()
    event.stopPropagation()
    setOver(false)
    const dropped = droppedOf(event.dataTransfer)
    take(dropped.files, dropped.folders)
  }

  function dragOver(event: DragEvent) {
    event.preventDefault()
    setOver(true)
  }

  if (!hasDirect()) return <Undirected name={name} />
  if (upgrade)
    return <UpgradeDialog feature="fileSharing" isRefused={upgrade === 'refused'} onClose={() => setUpgrade(undefined)} />
  const choose = () => (mayOffer ? picker.current?.click() : setUpgrade('asked'))
  const hasRows = rows.length > 0
  const hasFiles = files.length > 0
  return (
    <Dialog
      title={hasRows ? `Direct files with ${name}` : `Send directly to ${name}`}
      text={LIMIT}
      onClose={endTransferAsk}
      nextFocus={() => (isSent.current ? nextFocus() : null)}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a button inside of it does the same */}
      <div className="transfers" onDragOver={dragOver} onDragLeave={() => setOver(false)} onDrop={drop}>
        <ConnectionLine transfers={rows} chatRoomId={chatRoomId} name={name} />
        {hasRows && (
          <ul className="transfer-list" aria-label="Transfers">
            {rows.map((transfer) => (
              <li key={transfer.content.transferId}>
                <TransferBody
                  content={transfer.content}
                  transfer={transfer}
                  name={name}
                  seq={null}
                  note={room && roomWords(room)}
                  asks={transfer.content.transferId === askedId}
                />
              </li>
            ))}
          </ul>
        )}
        {hasFiles && <ChosenFiles files={files} isSending={isSending} onLeaveOut={leaveOut} />}
        {!hasFiles && !hasRows && (
          <button type="button" className={isOver ? 'transfer-drop over' : 'transfer-drop'} data-first onClick={choose}>
            <FileUp className="i i-24" aria-hidden />
            <b>{isOver ? DROP : CHOOSE}</b>
            <span>{GOES_ON}</span>
          </button>
        )}
        {faults.length > 0 && (
          <div className="transfer-faults" role="alert">
            {faults.map(({ title, text }) => (
              <p key={`${title} ${text}`}>
                <b>{title}</b> <span dir="auto">{text}</span>
              </p>
            ))}
          </div>
        )}
        <p className="transfer-note">
          <Named words={addressWords} name={name} /> {room?.isOnDisk === false && ENDS_WITH_TAB}
        </p>
      </div>
      <input
        ref={picker}
        type="file"
        hidden
        multiple
        aria-label="Files to send directly"
        onChange={({ target }) => {
          take([...(target.files ?? [])])
          target.value = ''
        }}
      />
      <footer ref={footer}>
        {(hasFiles || hasRows) && (
          <button type="button" className="btn outline" data-first={!hasFiles || undefined} disabled={isSending} onClick={choose}>
            <Plus className="i i-16" aria-hidden />
            {hasFiles ? 'Add files' : 'Send another'}
          </button>
        )}
        {(hasFiles || !hasRows) && (
          <button
            type="button"
            className="btn primary"
            data-first={hasFiles || undefined}
            disabled={isSending || !hasFiles}
            onClick={() => void send()}
          >
            {isSending ? 'Sending...' : 'Send'}
          </button>
        )}
      </footer>
    </Dialog>
  )
}
