import { FileText, Images, Link, Mic, Search } from 'lucide-react'
import { Tabs } from 'radix-ui'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { isShutRow, type RoomRow } from '../../rooms/list/roomList.ts'
import { nameOf, type Person } from '../../rooms/trust/people.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { later } from '../../ui/later.tsx'
import { NotRead } from '../../ui/NotRead.tsx'
import { useLatest } from '../../ui/useLatest.tsx'
import type { Held } from '../files/openedFiles.ts'
import type { ListedFile } from '../files/sharedPage.ts'
import { FileLine, LinkLine, VoiceLine } from './Line.tsx'
import { MediaGrid } from './MediaGrid.tsx'
import { OlderShared } from './OlderShared.tsx'
import type { Tab } from './shared.ts'
import { useJump } from './useJump.tsx'
import { useListing } from './useListing.tsx'
import './shared.css'

const Viewer = later(async () => (await import('../files/Viewer.tsx')).Viewer)

/** Lines that are added at once. */
const STEP = 60

const NOT_READ = 'What was shared could not be read.'

const TABS: Record<Tab, { words: string; icon: typeof Images; none: string }> = {
  media: { words: 'Media', icon: Images, none: 'No photos or videos' },
  voice: { words: 'Voice', icon: Mic, none: 'No voice messages' },
  files: { words: 'Files', icon: FileText, none: 'No files' },
  links: { words: 'Links', icon: Link, none: 'No links' },
}

const TAB_NAMES = Object.keys(TABS) as Tab[]

type Viewed = Held & Pick<ListedFile, 'seq'>

interface Props {
  room: RoomRow
  person: Person
  onClose: () => void
}

/** What a chat has shared: media, voice messages, files and links, as far as this browser has its messages. */
export function SharedFiles({ room, person, onClose }: Props) {
  const [tab, setTab] = useState<Tab>('media')
  const [typed, setTyped] = useState('')
  const [wanted, setWanted] = useState(STEP)
  const [viewed, setViewed] = useState<Viewed>()
  const listing = useListing(room, { tab, typed, wanted })
  const { tabs, isBegun, isWhole, hasOlder, failure, retry } = listing
  const isShut = isShutRow(room)
  const jump = useJump(room, onClose)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as soon as the chat is locked
  useEffect(() => {
    if (isShut) onClose()
  }, [isShut])

  /** Another tab or filter begins at its top. */
  function turn(change: () => void) {
    change()
    setWanted(STEP)
  }

  if (isShut) return null
  const at = { ...listing, wanted, isFiltered: typed !== '', onMore: () => setWanted(wanted + STEP) }
  return (
    <>
      <Dialog title="Shared files" text={`With ${nameOf(person)}`} onClose={onClose}>
        <div className="shared">
          <label className="input">
            <Search className="i i-16" aria-hidden />
            <span className="sr">Filter by name, caption or address</span>
            <input
              type="text"
              dir="auto"
              placeholder="Filter"
              autoComplete="off"
              value={typed}
              onChange={({ target }) => turn(() => setTyped(target.value))}
            />
          </label>
          {isBegun ? (
            <Tabs.Root value={tab} onValueChange={(next) => turn(() => setTab(next as Tab))}>
              <Tabs.List className="shared-tabs" aria-label="Kinds">
                {TAB_NAMES.map((name) => (
                  <Tabs.Trigger key={name} value={name}>
                    {TABS[name].words} <span>{countOf(tabs[name].length, isWhole)}</span>
                  </Tabs.Trigger>
                ))}
              </Tabs.List>
              <List {...at} tab="media" lines={tabs.media}>
                {(lines) => (
                  <MediaGrid
                    lines={lines}
                    isWhole={isWhole && lines.length === tabs.media.length}
                    room={room}
                    onView={setViewed}
                    onJump={jump}
                  />
                )}
              </List>
              <List {...at} tab="voice" lines={tabs.voice}>
                {listed((line) => (
                  <VoiceLine key={line.seq} line={line} room={room} onJump={jump} />
                ))}
              </List>
              <List {...at} tab="files" lines={tabs.files}>
                {listed((line) => (
                  <FileLine key={line.seq} line={line} room={room} onJump={jump} />
                ))}
              </List>
              <List {...at} tab="links" lines={tabs.links}>
                {listed((line) => (
                  <LinkLine key={`${line.seq} ${line.address}`} line={line} room={room} onJump={jump} />
                ))}
              </List>
            </Tabs.Root>
          ) : (
            <NotRead words={NOT_READ} failure={failure} onRetry={retry} />
          )}
          {hasOlder && <OlderShared room={room} />}
        </div>
      </Dialog>
      {viewed && <Viewer held={viewed} seq={viewed.seq} onClose={() => setViewed(undefined)} onJump={jump} />}
    </>
  )
}

/** How many lines a tab has, as far as the chat was read. */
function countOf(count: number, isWhole: boolean): string {
  if (isWhole) return `${count}`
  return count === 0 ? '' : `${count}+`
}

interface ListProps<Line> extends Pick<ReturnType<typeof useListing>, 'isReading' | 'isWhole' | 'failure' | 'retry'> {
  tab: Tab
  lines: Line[]
  wanted: number
  isFiltered: boolean
  onMore: () => void
  children: (lines: Line[]) => ReactNode
}

const listed =
  <Line,>(line: (line: Line) => ReactNode) =>
  (lines: Line[]) => <ul className="shared-list">{lines.map(line)}</ul>

function List<Line>({ tab, lines, wanted, isFiltered, onMore, children, ...reading }: ListProps<Line>) {
  const { isReading, isWhole, failure, retry } = reading
  return (
    <Tabs.Content value={tab} tabIndex={-1}>
      {lines.length > 0 && children(lines.slice(0, wanted))}
      {isReading ? (
        <p className="small t2 late" role="status">
          Looking further back...
        </p>
      ) : failure !== null ? (
        <NotRead words={NOT_READ} failure={failure} onRetry={retry} />
      ) : lines.length === 0 ? (
        <Empty icon={TABS[tab].icon} title={isFiltered ? 'Nothing found' : TABS[tab].none} />
      ) : (
        (lines.length > wanted || !isWhole) && <ListEnd key={wanted} onSeen={onMore} />
      )}
    </Tabs.Content>
  )
}

/** The end of the lines so far: more come when it is near. */
function ListEnd({ onSeen }: { onSeen: () => void }) {
  const end = useRef<HTMLDivElement>(null)
  const tell = useLatest(onSeen)
  useEffect(() => {
    const element = end.current
    if (!element) return
    // `scrollMargin` counts what lies below the edge of the lines; a browser without it adds more once the end is seen.
    const near = { rootMargin: '400px', scrollMargin: '400px' }
    const watcher = new IntersectionObserver(([entry]) => entry?.isIntersecting && tell.current(), near)
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [tell])
  return <div ref={end} />
}
