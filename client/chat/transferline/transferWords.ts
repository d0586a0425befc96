import { bytesWords } from '../../ui/bytes.ts'
import { nameOf } from '../files/fileWords.ts'

type Told = { tone: 'plain' | 'good' | 'bad'; title: string; text: string }

const quoted = (fileName: string) => `“${nameOf(fileName) || 'Document'}”`

/** The specification's: 100 * 1024 * 1024 bytes are too many. */
export const TOO_LARGE = 'File size must be under 100MB for P2P transfer'

/** Titles are the specification's, as are the sentences of what fails. `name` is the other person’s. */
export const TOASTS = {
  connected: (name: string, isRelayed: boolean): Told => ({
    tone: 'good',
    title: 'Secure Connection Established',
    text: isRelayed
      ? `Your browser and that of ${name} are connected through the relay.`
      : `Your browser and that of ${name} are connected directly.`,
  }),
  incoming: (name: string, fileName: string, sizeBytes: number): Told => ({
    tone: 'plain',
    title: 'Incoming File',
    text: `${name} offers ${quoted(fileName)}, ${bytesWords(sizeBytes)}.`,
  }),
  offerSent: (name: string, fileName: string): Told => ({
    tone: 'good',
    title: 'File Offer Sent',
    text: `${quoted(fileName)} goes over once ${name} accepts it.`,
  }),
  received: (fileName: string): Told => ({
    tone: 'good',
    title: 'File Received',
    text: `${quoted(fileName)} is here, whole and unchanged.`,
  }),
  sent: (name: string, fileName: string): Told => ({
    tone: 'good',
    title: 'File Sent',
    text: `${name} has ${quoted(fileName)}, whole and unchanged.`,
  }),
  notConnected: { tone: 'bad', title: 'Connection Failed', text: 'Unable to establish secure P2P connection' },
  interrupted: { tone: 'bad', title: 'Transfer Error', text: 'Encrypted file transfer interrupted' },
  notReady: { tone: 'plain', title: 'Connection Not Ready', text: 'Establishing secure P2P connection...' },
  notOffered: { tone: 'bad', title: 'Transfer Failed', text: 'Failed to initiate secure file transfer' },
  tooLarge: (fileName: string): Told => ({ tone: 'bad', title: TOO_LARGE, text: `${quoted(fileName)} is left out.` }),
  empty: (fileName: string): Told => ({ tone: 'bad', title: 'Empty File', text: `${quoted(fileName)} has nothing in it` }),
  folder: (folderName: string): Told => ({
    tone: 'bad',
    title: 'Folders cannot be sent',
    text: `${quoted(folderName)} is a folder. Pack it into one file first.`,
  }),
} as const satisfies Record<string, Told | ((...given: never[]) => Told)>
