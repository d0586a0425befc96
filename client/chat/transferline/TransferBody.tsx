import { CircleAlert, Pause, Play, X } from 'lucide-react'
import type { TransferContent } from '../../../contract/chat/content.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { nameOf } from '../files/fileWords.ts'
import { Named } from './Named.tsx'
import { ReceivedFile } from './ReceivedFile.tsx'
import {
  isBadEnd,
  isQuestion,
  isUnderway,
  keptWords,
  leftWords,
  movedWords,
  receivedWords,
  refusalLine,
  speedWords,
  stageWords,
  UNKNOWN,
} from './stageWords.ts'
import { TransferFile } from './TransferFile.tsx'
import { TransferQuestion } from './TransferQuestion.tsx'
import type { Transfer } from './transferState.ts'
import { useTransferActs } from './useTransferActs.tsx'

interface Props {
  content: TransferContent
  transfer: Transfer | undefined
  /** The other person’s. */
  name: string
  /** The message's; null leaves the pictures beside it out. */
  seq: number | null
  /** What must be known before it is accepted. */
  note?: string | undefined
  /** Its question is asked without a press on it. */
  asks?: boolean
}

/** One transfer with all that can be done about it: in the chat, and in the dialog. */
export function TransferBody({ content, transfer, ...shown }: Props) {
  if (!transfer)
    return (
      <div className="transfer">
        <TransferFile file={content} />
        <p className="transfer-stage">{UNKNOWN}</p>
      </div>
    )
  return <Known transfer={transfer} {...shown} />
}

function Known({ transfer, name, seq, note, asks = false }: Omit<Props, 'content'> & { transfer: Transfer }) {
  const { content, isMine, isHere, stage, refusal, movedBytes } = transfer
  const { begin, isAsking, endAsking, isBusy, decline, pause, cancel } = useTransferActs(transfer, asks)
  const file = nameOf(content.name) || 'Document'
  const isReceived = stage === 'done' && !isMine && isHere
  const hasBar = isUnderway(transfer)
  const isOffer = stage === 'offered' && !isMine
  const canConnect = refusal !== 'tor_required' && refusal !== 'unsupported'
  const mayStop = (stage === 'offered' && isMine) || ['waiting', 'connecting', 'moving', 'paused'].includes(stage)
  const kept = keptWords(transfer)
  const about = hasBar ? movedWords(movedBytes, content.sizeBytes) : isReceived ? receivedWords(content.sizeBytes) : undefined
  return (
    <div className="transfer">
      <TransferFile file={content} about={about}>
        {(stage === 'moving' || (stage === 'paused' && !refusal)) && (
          <IconButton
            icon={stage === 'moving' ? Pause : Play}
            label={stage === 'moving' ? `Pause ${file}` : `Go on with ${file}`}
            isTight
            onClick={stage === 'moving' ? pause : () => begin()}
          />
        )}
        {mayStop && <IconButton icon={X} label={`Cancel ${file}`} isTight onClick={cancel} />}
      </TransferFile>
      {hasBar && <Bar transfer={transfer} file={file} />}
      {!isReceived && refusal === null && (
        <p className="transfer-stage">
          <span className={isBadEnd(transfer) ? 'bad' : undefined}>
            {isBadEnd(transfer) && <CircleAlert className="i i-14" aria-hidden />}
            <Named words={(placed) => stageWords(transfer, placed)} name={name} />
            {stage === 'moving' && transfer.bytesPerSecond !== null && ` · ${speedWords(transfer.bytesPerSecond)}`}
          </span>
          {stage === 'moving' && transfer.secondsLeft !== null && <span>{leftWords(transfer.secondsLeft)}</span>}
        </p>
      )}
      {refusal && (
        <p className="transfer-refused" role="alert">
          <CircleAlert className="i i-14" aria-hidden />
          {refusalLine(refusal, content.sizeBytes)}
        </p>
      )}
      {kept && <p className="transfer-note">{kept}</p>}
      {isOffer && note && <p className="transfer-note">{note}</p>}
      {isOffer && (
        <div className="acts">
          {canConnect && (
            <button
              type="button"
              className="btn compact primary"
              disabled={isBusy}
              aria-label={`Accept ${file}`}
              onClick={() => begin()}
            >
              Accept
            </button>
          )}
          <button type="button" className="btn compact outline" aria-label={`Decline ${file}`} onClick={decline}>
            Decline
          </button>
        </div>
      )}
      {refusal && canConnect && !isOffer && mayStop && (
        <div className="acts">
          <button type="button" className="btn compact outline" disabled={isBusy} onClick={() => begin()}>
            {isQuestion(refusal) ? 'Decide' : 'Try again'}
          </button>
        </div>
      )}
      {isReceived && <ReceivedFile transfer={transfer} seq={seq} />}
      {isAsking && isQuestion(refusal) && (
        <TransferQuestion question={refusal} name={name} isMine={isMine} onAllow={begin} onLeave={endAsking} />
      )}
    </div>
  )
}

function Bar({ transfer, file }: { transfer: Transfer; file: string }) {
  const { content, movedBytes, isMine, secondsLeft, stage } = transfer
  const percent = Math.floor((100 * movedBytes) / content.sizeBytes)
  const left = stage === 'moving' && secondsLeft !== null ? `, ${leftWords(secondsLeft)}` : ''
  return (
    <progress
      max={content.sizeBytes}
      value={movedBytes}
      aria-label={`${file}, ${isMine ? 'sent' : 'received'}`}
      aria-valuetext={`${percent} %${left}`}
    />
  )
}
