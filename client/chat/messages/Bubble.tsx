import { Ban, KeyRound } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { EMPTY, isBlank } from '../../../contract/chat/contentwords.ts'
import { NOT_ENCRYPTED } from '../../rooms/list/preview.ts'
import { later } from '../../ui/later.tsx'
import { isEmojiOnly, type Range } from '../../ui/textPieces.ts'
import { Folded } from './Folded.tsx'
import { Meta, spokenName } from './Meta.tsx'
import { isForwarded, quoteIn } from './quotes.ts'
import { remarksOf, sentence } from './remarks.ts'
import type { BodyKind, BodyOf, MessageBody, ShownMessage } from './store.ts'
import { preloadBlocks } from './Words.tsx'

const Under = later(async () => (await import('./Under.tsx')).Under)
const UnderActs = later(async () => (await import('./UnderActs.tsx')).UnderActs)
const Reactions = later(async () => (await import('./Reactions.tsx')).Reactions)
const Unsupported = later(async () => (await import('./Unsupported.tsx')).Unsupported)
const CallLine = later(async () => (await import('../callline/CallLine.tsx')).CallLine)
const TransferLine = later(async () => (await import('../transferline/TransferLine.tsx')).TransferLine)
const Album = later(async () => (await import('./Album.tsx')).Album)
const Forwarded = later(async () => (await import('./Forwarded.tsx')).Forwarded)
const Quoted = later(async () => (await import('./Quoted.tsx')).Quoted)
const OnceBody = later(async () => (await import('./OnceBody.tsx')).OnceBody)
const FileBody = later(async () => (await import('../files/FileBody.tsx')).FileBody)

/** The line may be lost before something waits. */
export const preloadBubbles = () =>
  Promise.all([
    preloadBlocks(),
    ...[import('./PinBar.tsx'), import('./KeyLine.tsx')].map((part) => part.catch(() => undefined)),
    ...[Under, UnderActs, FileBody, OnceBody, Album, Forwarded].map((part) => part.preload()),
  ])

/** A message that is younger fades in. */
const NEW_MS = 2000
/** A clock that is behind makes nothing new. */
const isWithin = (ageMs: number) => ageMs >= 0 && ageMs < NEW_MS

interface Props {
  message: ShownMessage
  /** Pictures sent together; `message` speaks for all of them. */
  album?: ShownMessage[]
  name: string
  startsRun: boolean
  /** False inside a minute of one sender: the time shows on hover or focus. */
  hasTime: boolean
  /** True for the only message of the timeline that Tab reaches. */
  isTabStop: boolean
  marks: readonly Range[] | undefined
  isStarred?: boolean
  onUpgrade: () => void
}

export function Bubble({ message, album, name, startsRun, isTabStop, isStarred = false, onUpgrade, ...body }: Props) {
  const [isNew] = useState(() => isWithin(Date.now() - Date.parse(message.at)))
  const { below, details } = remarksOf(message, name)
  const quote = quoteIn(message)
  const above = quote ? <Quoted quote={quote} /> : isForwarded(message) && <Forwarded />
  const classes = ['msg', message.isMine && 'me', !startsRun && 'on', isNew && 'new'].filter(Boolean)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is a group of a form's fields
    <div
      className={classes.join(' ')}
      role="group"
      aria-label={spokenName(message, name, details, isStarred, album)}
      tabIndex={isTabStop ? 0 : -1}
    >
      {album ? (
        <Album
          {...{ album, message, above, onUpgrade, Words: Folded, marks: body.marks }}
          meta={<Meta {...{ message, details, isStarred }} isAside={!body.hasTime && !isStarred} />}
        />
      ) : (
        <Body {...{ message, above, details, isStarred }} {...body} />
      )}
      {message.reactions && <Reactions message={message} reactions={message.reactions} onUpgrade={onUpgrade} />}
      {below.map((remark) => (
        <p className="remark" key={remark}>
          {remark}
        </p>
      ))}
      {message.pending && message.pending.status !== 'sending' && <UnderActs pending={message.pending} onUpgrade={onUpgrade} />}
      {!album && message.reason !== null && <Under message={message} onUpgrade={onUpgrade} />}
    </div>
  )
}

interface BodyProps extends Pick<Props, 'message' | 'hasTime' | 'marks'> {
  /** What the message replies to. */
  above: ReactNode
  details: string[]
  isStarred: boolean
}

interface Drawn<B extends MessageBody> extends Pick<BodyProps, 'message' | 'above' | 'marks'> {
  body: B
  meta: ReactNode
}

interface Draws<B extends MessageBody> {
  bubble(drawn: Drawn<B>): ReactNode
}

const BUBBLES: { [K in BodyKind]: Draws<BodyOf<K>> } = {
  text: {
    bubble: ({ above, ...drawn }) => (
      <Said {...drawn} look={isEmojiOnly(drawn.body.text) && !above ? 'bub emoji' : 'bub'}>
        {above}
      </Said>
    ),
  },
  file: {
    bubble: (drawn) => (
      <FileBody
        {...drawn}
        Words={Folded}
        onListened={(env, isFollower) => {
          // Nobody asked for it: where its code is not there it is not told.
          import('./tellListened.ts')
            .then(({ tellListened }) => tellListened(env, drawn.body.chatRoomId, drawn.message, isFollower))
            .catch(() => undefined)
        }}
      />
    ),
  },
  once: { bubble: (drawn) => <OnceBody {...drawn} /> },
  call: { bubble: (drawn) => <CallLine {...drawn} /> },
  transfer: { bubble: (drawn) => <TransferLine {...drawn} /> },
  plain: {
    bubble: (drawn) => (
      <Said {...drawn}>
        <span className="badge danger">{NOT_ENCRYPTED}</span>
      </Said>
    ),
  },
  deleted: {
    bubble: ({ body, meta }) => (
      <div className="bub deleted">
        <Ban className="i i-16" aria-hidden />
        <p>
          {body.text}
          {meta}
        </p>
      </div>
    ),
  },
  unreadable: {
    bubble: ({ body, meta }) => (
      <div className="bub unreadable">
        <KeyRound className="i i-16" aria-hidden />
        <p>
          {sentence(body.reason)}
          {meta}
        </p>
      </div>
    ),
  },
  unsupported: { bubble: ({ message, meta }) => <Unsupported id={message.id} meta={meta} /> },
  notice: { bubble: (drawn) => <Said {...drawn} /> },
  timer: { bubble: (drawn) => <Said {...drawn} /> },
}

function Body({ message, above, hasTime, marks, details, isStarred }: BodyProps) {
  const { body, edited } = message
  const draws: Draws<MessageBody> = BUBBLES[body.kind]
  return draws.bubble({
    body,
    message,
    above,
    marks,
    meta: (
      <Meta
        {...{ message, details, isStarred }}
        isAside={!hasTime && !edited && !isStarred && !message.lifetime && !message.isPinned}
      />
    ),
  })
}

interface SaidProps extends Pick<Drawn<MessageBody>, 'marks' | 'meta'> {
  body: { text: string }
  look?: string
  children?: ReactNode
}

function Said({ body, marks, meta, look = 'bub', children }: SaidProps) {
  return (
    <div className={look}>
      {children}
      <p dir="auto">
        {isBlank(body.text) ? <i className="t2">{EMPTY}</i> : <Folded text={body.text} marks={marks} />}
        {meta}
      </p>
    </div>
  )
}
