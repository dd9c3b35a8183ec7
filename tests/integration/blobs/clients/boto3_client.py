"""What boto3 does with a bucket; its variables say where it is."""
import hashlib, io, os, urllib.error, urllib.request
import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import ClientError

B = os.environ["BUCKET"]
config = Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 1})
s3 = boto3.client("s3", config=config)


def refused(code, work, **given):
    try:
        work(**given)
    except ClientError as error:
        assert error.response["Error"]["Code"] == code, error
        return
    raise AssertionError(f"not refused: {code}")


assert [b["Name"] for b in s3.list_buckets()["Buckets"]] == [B]
s3.head_bucket(Bucket=B)
s3.get_bucket_location(Bucket=B)
odd = "py/a b+é(1)'!*~&=?#%2F<>\".txt"
put = s3.put_object(Bucket=B, Key=odd, Body=b"hello", ContentType="text/x-boat", Metadata={"boat": "kestrel"})
assert put["ETag"] == '"%s"' % hashlib.md5(b"hello").hexdigest()
got = s3.get_object(Bucket=B, Key=odd)
assert got["Body"].read() == b"hello" and got["Metadata"] == {"boat": "kestrel"}
assert got["ChecksumCRC32"] == "NhCmhg=="
for name in ["CRC32", "SHA1", "SHA256"]:
    s3.put_object(Bucket=B, Key="py/sums/" + name, Body=b"hello", ChecksumAlgorithm=name)
refused("BadDigest", s3.put_object, Bucket=B, Key="py/wrong", Body=b"hello", ChecksumCRC32="AAAAAA==")
s3.put_object(Bucket=B, Key="py/stream", Body=io.BytesIO(b"x" * 70000))
refused("PreconditionFailed", s3.put_object, Bucket=B, Key=odd, Body=b"x", IfNoneMatch="*")
refused("InvalidRange", s3.get_object, Bucket=B, Key=odd, Range="bytes=9-")
assert s3.get_object(Bucket=B, Key=odd, Range="bytes=1-2")["Body"].read() == b"el"
refused("304", s3.get_object, Bucket=B, Key=odd, IfNoneMatch=put["ETag"])

big = bytes(range(256)) * (80 << 10)
small = TransferConfig(multipart_threshold=5 << 20, multipart_chunksize=5 << 20)
s3.upload_fileobj(io.BytesIO(big), B, "py/big", Config=small)
head = s3.head_object(Bucket=B, Key="py/big")
assert head["ContentLength"] == len(big) and head["ETag"].endswith('-4"'), head
back = io.BytesIO()
s3.download_fileobj(B, "py/big", back, Config=small)
assert back.getvalue() == big
s3.copy({"Bucket": B, "Key": "py/big"}, B, "py/copy", Config=small)
assert s3.head_object(Bucket=B, Key="py/copy")["ContentLength"] == len(big)
s3.copy_object(Bucket=B, Key="py/small", CopySource={"Bucket": B, "Key": odd})
assert s3.get_object(Bucket=B, Key="py/small")["Body"].read() == b"hello"

for number in range(25):
    s3.put_object(Bucket=B, Key=f"py/many/{number:02}", Body=b"x")
names = [f"py/many/{number:02}" for number in range(25)]
for call in ["list_objects_v2", "list_objects"]:
    pages = s3.get_paginator(call).paginate(Bucket=B, Prefix="py/many/", PaginationConfig={"PageSize": 7})
    assert [c["Key"] for page in pages for c in page["Contents"]] == names, call
pages = s3.get_paginator("list_objects_v2").paginate(Bucket=B, Prefix="py/", Delimiter="/", PaginationConfig={"PageSize": 2})
assert [p["Prefix"] for page in pages for p in page.get("CommonPrefixes", [])] == ["py/many/", "py/sums/"]

url = s3.generate_presigned_url("get_object", Params={"Bucket": B, "Key": odd, "ResponseContentType": "text/css"}, ExpiresIn=60)
with urllib.request.urlopen(url) as response:
    assert response.read() == b"hello" and response.headers["content-type"] == "text/css"
url = s3.generate_presigned_url("put_object", Params={"Bucket": B, "Key": "py/signed"}, ExpiresIn=60)
assert urllib.request.urlopen(urllib.request.Request(url, data=b"signed", method="PUT")).status == 200
assert s3.get_object(Bucket=B, Key="py/signed")["Body"].read() == b"signed"

objects = [{"Key": name} for name in names + [odd]]
assert len(s3.delete_objects(Bucket=B, Delete={"Objects": objects})["Deleted"]) == 26
refused("NoSuchKey", s3.get_object, Bucket=B, Key=odd)
refused("404", s3.head_object, Bucket=B, Key=odd)
refused("NoSuchBucket", s3.list_objects_v2, Bucket="other")
refused("NotImplemented", s3.get_object_tagging, Bucket=B, Key="py/small")
wrong = boto3.client("s3", config=config, aws_access_key_id=os.environ["AWS_ACCESS_KEY_ID"], aws_secret_access_key="wrong")
refused("SignatureDoesNotMatch", wrong.get_object, Bucket=B, Key="py/small")
nobody = boto3.client("s3", config=config, aws_access_key_id="SVCKNOBODY", aws_secret_access_key="wrong")
refused("InvalidAccessKeyId", nobody.get_object, Bucket=B, Key="py/small")
print("done")
