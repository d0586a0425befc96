/** `upload:<room id>:<message id>` */
export const UPLOADS = 'upload:'
export const uploadsIn = (chatRoomId: string): string => `${UPLOADS}${chatRoomId}:`
export const uploadId = (key: string): string => nameIn(key).transferId

export interface TransferName {
  chatRoomId: string
  transferId: string
}

/** `transfer:<room id>:<transfer id>` */
export const TRANSFERS = 'transfer:'
export const transfersIn = (chatRoomId: string): string => `${TRANSFERS}${chatRoomId}:`
export const rowKey = ({ chatRoomId, transferId }: TransferName): string => transfersIn(chatRoomId) + transferId

export function nameIn(key: string): TransferName {
  const [, chatRoomId = '', transferId = ''] = key.split(':')
  return { chatRoomId, transferId }
}

const FILE = 'transfer-'

/** Two contacts may choose one id. */
export const waitingFile = ({ chatRoomId, transferId }: TransferName): string => `${FILE}${chatRoomId}-${transferId}`
export const receivedFile = ({ transferId }: Pick<TransferName, 'transferId'>): string => `${FILE}${transferId}`
export const isTransferFile = (name: string): boolean => name.startsWith(FILE)
/** Returns the transfer's or object's id. */
export const idOfFile = (name: string): string => (isTransferFile(name) ? name.slice(FILE.length) : name)
