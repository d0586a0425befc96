import { bytesWords } from '../../ui/bytes.ts'
import { Part } from '../../ui/Part.tsx'
import { clearableBytes, type Kept, type Kind } from './keptFiles.ts'
import { filesWords } from './storageWords.ts'

const KINDS: Record<Kind, string> = {
  picture: 'Photos',
  video: 'Videos',
  sound: 'Voice messages and sounds',
  document: 'Documents',
  other: 'Other files',
}

/** What this browser keeps, by kind. */
export function StorageSizes({ kept }: { kept: Kept }) {
  const files = clearableBytes(kept)
  const { kinds, locked, left, totalBytes = 0, isOnDisk, waitingBytes } = kept
  const { offered, arriving } = kept.direct
  const stays = waitingBytes + offered.bytes + arriving.bytes
  const rest = totalBytes - (isOnDisk ? files + stays : 0)
  const rows: [string, number][] = [
    ...(Object.keys(KINDS) as Kind[]).map((kind): [string, number] => [KINDS[kind], kinds[kind]]),
    ['Files of locked chats', locked.bytes],
    ['Files of chats that have left the list', left.bytes],
    ['Waiting to be sent', waitingBytes],
    [`Offered directly, ${filesWords(offered.files)}`, offered.bytes],
    [`Received in part, ${filesWords(arriving.files)}`, arriving.bytes],
    ['Messages, search, keys and the app', rest],
  ]
  return (
    <Part id="files" title="In this browser" text="All of it is sealed, apart from the app itself.">
      <dl className="storage-sizes">
        {rows
          .filter(([, bytes]) => bytes > 0)
          .map(([words, bytes]) => (
            <div key={words}>
              <dt>{words}</dt>
              <dd>{bytesWords(bytes)}</dd>
            </div>
          ))}
        {rest > 0 && (
          <div className="sum">
            <dt>Together</dt>
            <dd>{bytesWords(files + stays + rest)}</dd>
          </div>
        )}
      </dl>
      {rest <= 0 && <p className="small t2">This browser does not say how much messages, search, keys and the app take.</p>}
    </Part>
  )
}
