require "openssl"

module Webhooks
  TOLERANCE_S = 5 * 60

  class Refused < StandardError; end

  # Raises Refused, which says why, unless the delivery is genuine and fresh.
  #
  # secrets: one secret (whsec_...), or an array of those that are valid during a rotation
  # headers: names to values; a Rack environment will do
  # body: the bytes as they arrived, before any parsing
  # now: Unix seconds
  def self.verify(secrets, headers, body, now: Time.now.to_f)
    keys = Array(secrets).map { |secret| key(secret) }
    given = headers.to_h { |name, value| [name.to_s.downcase.tr("_", "-").delete_prefix("http-"), value] }
    id, timestamp, signatures = %w[webhook-id webhook-timestamp webhook-signature].map do |name|
      given[name].to_s.empty? ? raise(Refused, "The header #{name} is missing.") : given[name].b
    end
    raise Refused, "webhook-timestamp is not in Unix seconds." unless timestamp.match?(/\A[0-9]{1,12}\z/)
    if (now - timestamp.to_i).abs > TOLERANCE_S
      raise Refused, "webhook-timestamp is more than 5 minutes from the clock here."
    end

    signed = "#{id}.#{timestamp}.".b + body.b
    expected = keys.map { |key| "v1,#{[OpenSSL::HMAC.digest("SHA256", key, signed)].pack("m0")}" }
    # secure_compare takes the same time wherever two values differ.
    return if signatures.split(" ").any? { |one| expected.any? { |other| OpenSSL.secure_compare(one, other) } }

    raise Refused, "No signature matches: another secret, or not the raw body."
  end

  def self.key(secret)
    key = secret.start_with?("whsec_") ? secret.delete_prefix("whsec_").unpack1("m0") : ""
    raise ArgumentError if key.bytesize < 24

    key
  rescue ArgumentError, NoMethodError
    raise Refused, "A secret is whsec_ and the base64 of its key."
  end
  private_class_method :key
end
