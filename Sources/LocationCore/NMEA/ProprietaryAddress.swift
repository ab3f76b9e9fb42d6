/// The address of a sentence that belongs to one maker.
enum ProprietaryAddress {
  static func type(of fields: SentenceFields) -> SentenceType {
    SentenceType(code: SentenceAddress.pack(fields.address))
  }
}
